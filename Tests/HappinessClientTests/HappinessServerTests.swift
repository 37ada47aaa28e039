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

    /// Under another spelling, the device would not find the key that it saw first.
    @Test(arguments: [
        ("2026/02", "0"), ("2026/2 ", "0"), ("2026/2/", "0"), ("2026/2a", "0"), ("02026/2", "0"), ("2026/2", "A"),
        ("2026/2", "0/../0"), ("2026/2", "?"),
    ])
    func `Another spelling of a sprint or team is not asked for`(sprint: String, digit: String) async throws {
        // Nobody listens there.
        let server = HappinessServer(address: try #require(URL(string: "http://127.0.0.1:9")))
        let team = digit + String(repeating: "0", count: 32 - digit.count)
        let error = await #expect(throws: ClientError.self) { try await server.ballotKey(of: sprint, in: team) }
        guard case .notUnderstood = error else {
            Issue.record("\(sprint) of \(team): \(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["2026/0", "2026/2", "2026/26", "2026/3b", "7/1"])
    func `Every label that a sprint can have is asked for`(sprint: String) async throws {
        let server = HappinessServer(address: try #require(URL(string: "http://127.0.0.1:9")))
        let error = await #expect(throws: ClientError.self) {
            try await server.ballotKey(of: sprint, in: String(repeating: "0", count: 32))
        }
        guard case .unreachable = error else {
            Issue.record("\(sprint): \(String(describing: error))")
            return
        }
    }

    @Test(.timeLimit(.minutes(1))) func `A cancelled request says that it was cancelled`() async throws {
        let server = HappinessServer(address: try #require(URL(string: "http://127.0.0.1:9")))
        // Often, since Foundation may report the end of a request before anybody waits for it.
        for _ in 0..<200 {
            let request = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await server.ballotKey(of: "2026/2", in: String(repeating: "0", count: 32))
            }
            await #expect(throws: ClientError.cancelled) { try await request.value }
        }
    }
}
