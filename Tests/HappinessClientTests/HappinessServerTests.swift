import Foundation
import HappinessClient
import Testing

@Suite struct HappinessServerTests {
    @Test(.timeLimit(.minutes(1))) func `A cancelled request says that it was cancelled`() async throws {
        let server = HappinessServer(address: try #require(URL(string: "http://127.0.0.1:9")))
        // Often, since Foundation may report the end of a request before anybody waits for it.
        for _ in 0..<200 {
            let request = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await server.ballotKey(id: "")
            }
            await #expect(throws: ClientError.cancelled) { try await request.value }
        }
    }
}
