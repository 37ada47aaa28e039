import Foundation
import HappinessClient
import Testing

@Suite struct HappinessServerTests {
    @Test func `A cancelled request says that it was cancelled`() async throws {
        let server = HappinessServer(address: try #require(URL(string: "http://127.0.0.1:9")))
        let request = Task { try await server.ballotKey(id: "") }
        request.cancel()
        await #expect(throws: ClientError.cancelled) { try await request.value }
    }
}
