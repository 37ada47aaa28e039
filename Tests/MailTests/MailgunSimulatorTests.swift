import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// The simulator rejects what the documentation says is rejected.
@Suite struct MailgunSimulatorTests {
    private static let good = "from=a@example.org&to=b@example.org&subject=s&text=t"

    @Test(arguments: [
        ("POST", "/v3/mg.example.org/messages", good, 200), ("GET", "/v3/mg.example.org/messages", good, 404),
        ("POST", "/v4/mg.example.org/messages", good, 404), ("POST", "/v3/x.example.org/messages", good, 404),
        ("POST", "/v3/mg.example.org/messages", "to=b@example.org&subject=s&text=t", 400),
        ("POST", "/v3/mg.example.org/messages", "from=a@example.org&subject=s&text=t", 400),
        ("POST", "/v3/mg.example.org/messages", "from=a@example.org&to=b@example.org&text=t", 400),
        ("POST", "/v3/mg.example.org/messages", "from=a@example.org&to=b@example.org&subject=s", 400),
        ("POST", "/v3/mg.example.org/messages", "from=a@example.org&to=b&subject=s&text=t", 400),
        ("POST", "/v3/mg.example.org/messages", "from=a@example.org&to=b@example.org,c&subject=s&text=t", 400),
        ("POST", "/v3/mg.example.org/messages", "\(good)&o:tracking=perhaps", 400),
        ("POST", "/v3/mg.example.org/messages", "\(good)&h:X-A=a%0D%0ABcc:%20b", 400),
        ("POST", "/v3/mg.example.org/messages", "\(good)&v:a=\(String(repeating: "x", count: 16_384))", 400),
    ])
    func `The simulator is strict`(method: String, path: String, body: String, status: UInt) async throws {
        try await MailgunSimulator.with { simulator in
            try await MailFixtures.withClient { client in
                var request = HTTPClientRequest(url: simulator.baseURL + path)
                request.method = .RAW(value: method)
                request.setBasicAuth(username: "api", password: simulator.apiKey)
                request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
                request.body = .bytes(Data(body.utf8))
                let response = try await client.execute(request, timeout: .seconds(30))
                #expect(response.status.code == status)
                #expect(simulator.mails.count == (status == 200 ? 1 : 0))
            }
        }
    }
}
