import HummingbirdTesting
import TestSupport
import Testing

@testable import HappinessAPI

/// The field `Host` of requests (RFC 9112 §3.2), byte by byte over a socket.
@Suite(.timeLimit(.minutes(1))) struct HostTests {
    private static let cases: [(head: String, status: Int)] = [
        ("GET /health/live HTTP/1.1\r\nHost: localhost", 200), ("GET /health/live HTTP/1.1\r\nhOST: [::1]:8080", 200),
        // An address has no host if its scheme needs none.
        ("GET /health/live HTTP/1.1\r\nHost:", 200), ("GET /health/live HTTP/1.0", 200),
        ("GET /health/live HTTP/1.0\r\nHost: localhost", 200),
        ("GET http://localhost/health/live HTTP/1.1\r\nHost: localhost", 200),
        ("GET /health/live HTTP/1.1", 400), ("GET /health/live HTTP/1.1\r\nX-Host: localhost", 400),
        ("GET /health/live HTTP/1.1\r\nHost: localhost\r\nHost: localhost", 400),
        ("GET /health/live HTTP/1.1\r\nHost: localhost\r\nX: 1\r\nhost: other", 400),
        ("GET /health/live HTTP/1.1\r\nHost:\r\nHost: localhost", 400),
        ("GET /health/live HTTP/1.0\r\nHost: localhost\r\nHost: other", 400),
        ("GET http://localhost/health/live HTTP/1.1", 400),
        ("GET http://localhost/health/live HTTP/1.1\r\nHost: localhost\r\nHost: localhost", 400),
        ("GET http://a@localhost/health/live HTTP/1.1\r\nHost: localhost", 400),
        ("GET /health/live HTTP/1.1\r\nHost: local host", 400),
        ("GET /health/live HTTP/1.1\r\nHost: localhost,other", 400),
        ("GET http:///health/live HTTP/1.1\r\nHost: localhost", 400),
        ("GET /health/live HTTP/1.1\r\nHost: localhost/health", 400),
        ("GET /nothing HTTP/1.1", 400), ("POST /api/v1/auth/login HTTP/1.1\r\nContent-Length: 0", 400),
    ]

    @Test(arguments: cases)
    func `A request needs exactly one host, unless it is of HTTP 1.0`(head: String, status: Int) async throws {
        try await TestApp.with(over: .live) { app in
            let response = try await Self.response(of: app, to: "\(head)\r\nConnection: close\r\n\r\n")
            #expect(response.hasPrefix("HTTP/1.1 \(status) "), "\(response)")
            if status == 400 {
                #expect(response.contains("exactly one Host"), "\(response)")
            }
        }
    }

    @Test func `The host of an absolute address counts, not the field`() async throws {
        try await TestApp.with(over: .live) { app in
            for (address, field, isOwn) in [
                ("/login", "here.example", true), ("/login", "elsewhere.example", false),
                ("http://here.example/login", "elsewhere.example", true),
                ("http://elsewhere.example/login", "here.example", false),
                ("/login?next=http://elsewhere.example/", "here.example", true),
            ] {
                let form = "username=nobody&password=wrong"
                let response = try await Self.response(
                    of: app,
                    to: """
                        POST \(address) HTTP/1.1\r\nHost: \(field)\r\nOrigin: http://here.example\r\nConnection: close\r\n\
                        Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n\r\n\
                        \(form)
                        """)
                #expect(response.hasPrefix("HTTP/1.1 403 ") != isOwn, "\(address) \(field) \(response)")
            }
        }
    }

    private static func response(of app: TestApp, to request: String) async throws -> String {
        let connection = try await RawConnection.open(port: try #require(app.port))
        try await connection.send(request)
        return await connection.receiveAll()
    }
}
