import Foundation
import HappinessClient
import Testing

@Suite struct HappinessServerTests {
    @Test(arguments: [
        "https://intranet.example.org/mood", "https://intranet.example.org/mood/",
        "https://intranet.example.org/mood//", "HTTPS://Intranet.Example.org:443/mood/",
        "https://intranet.example.org/mood?language=de#main",
    ])
    func `Other spellings of an address with a path are the same one`(spelling: String) throws {
        let server = HappinessServer(address: try #require(URL(string: spelling)))
        #expect(server.address.absoluteString == "https://intranet.example.org/mood")
    }

    @Test func `Another path is another installation`() throws {
        let addresses = try ["/mood", "/Mood", "/mood/west", ""].map { path in
            HappinessServer(address: try #require(URL(string: "https://intranet.example.org\(path)"))).address
        }
        #expect(Set(addresses).count == addresses.count)
    }

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
