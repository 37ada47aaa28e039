import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import HappinessAPI
@testable import Services

/// Requests that break off, are malformed, or too large: byte by byte over a socket.
@Suite(.timeLimit(.minutes(2))) struct BrokenRequestTests {
    /// The rest of a POST after its first headers, including the body, and the expected status.
    private static let malformed: [(headers: String, body: String, status: Int)] = [
        ("Transfer-Encoding: chunked", "ZZ\r\n", 400), ("Transfer-Encoding: chunked", "-1\r\n", 400),
        ("Transfer-Encoding: chunked", "5\r\n{\"hapXX", 400),
        ("Transfer-Encoding: chunked", "fffffffffffffffff\r\n", 400),
        ("Transfer-Encoding: gzip", "anything", 501), ("Transfer-Encoding: xchunked", "5\r\nhello\r\n0\r\n\r\n", 501),
        ("Transfer-Encoding: gzip, chunked", "5\r\nhello\r\n0\r\n\r\n", 501),
        ("Transfer-Encoding: identity", "anything", 501),
        // If chunked is not the last coding, the end of the body is unknown (RFC 9112 §6.3).
        ("Transfer-Encoding: chunked, gzip", "5\r\nhello\r\n0\r\n\r\n", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip", "", 400),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n", 400), ("Content-Length: -1", "", 400),
        ("Content-Length: 5, 6", "hello", 400), ("Content-Length: x", "", 400),
        ("Content-Length: 5\r\nContent-Length: 6", "hello!", 400),
    ]

    /// Paths that cast a ballot, in the new and in the first API, and another one.
    private static func paths(_ team: SignedInTeam) -> [String] {
        ["\(team.path)/sprints/2026/2/ballots", "/happiness/track", "/user/changePassword", "/api/v1/me/devices"]
    }

    @Test(.thorough, arguments: malformed)
    func `An incomprehensible request gets one answer and ends the connection`(
        headers: String, body: String, status: Int
    ) async throws {
        try await Self.withTeam { app, team in
            for path in Self.paths(team) {
                for token in [team.lead.token, "none"] {
                    let before = app.log.text
                    let response = try await Self.exchange(
                        app, "POST \(path)", token: token, headers: "Content-Type: application/json\r\n\(headers)",
                        // What follows is not treated as another request.
                        body: "\(body)GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    // Without a valid login the body is not read, unless its coding is unknown.
                    let expected = token == "none" && response.hasPrefix("HTTP/1.1 401 ") ? 401 : status
                    #expect(response.hasPrefix("HTTP/1.1 \(expected) "), "\(path) \(response)")
                    #expect(response.matches(of: #/HTTP/1\.1 /#).count == 1, "\(path) \(response)")
                    #expect(response.lowercased().contains("connection: close"), "\(response)")
                    Self.expectNoTrace(of: path, in: app, since: before)
                }
            }
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    @Test(arguments: [
        ("Content-Length: 100", #"{"happiness":7"#), ("Transfer-Encoding: chunked", "e\r\n{\"happiness\":7\r\n"),
        // The part that arrived would be valid by itself, for the new API and for the first clients.
        ("Content-Length: 100", #"{"happiness":7}"#), ("Transfer-Encoding: chunked", "f\r\n{\"happiness\":7}\r\n"),
        ("Content-Length: 100", #"{"happiness":7,"sprint":"2026/2"}"#),
        ("Transfer-Encoding: chunked", "21\r\n{\"happiness\":7,\"sprint\":\"2026/2\"}\r\n"),
    ])
    func `A client that breaks off in the middle has not voted`(headers: String, body: String) async throws {
        try await Self.withTeam { app, team in
            let headers = "Content-Type: application/json\r\n\(headers)"
            for path in Self.paths(team) {
                let before = app.log.text
                // A client that only closes its sending side can still read.
                let response = try await Self.exchange(
                    app, "POST \(path)", token: team.lead.token, headers: headers, body: body, endsSending: true)
                #expect(response.hasPrefix("HTTP/1.1 400 ") || response.isEmpty, "\(path) \(response)")
                Self.expectNoTrace(of: path, in: app, since: before)

                let gone = try await RawConnection.open(port: try #require(app.port))
                try await gone.send(Self.head("POST \(path)", token: team.lead.token, headers) + body)
                try await gone.close()
            }
            // After they have ended completely: this server's connections are closed when it returns.
            #expect(try await app.get("/health/live").status == .ok)
            let log = app.log.text
            #expect(!log.contains("error ") && !log.contains("warning ") && !log.contains("ballots"))
            #expect(app.activity.counts.failed == 0)
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    @Test func `A truncated form is not taken for a whole one`() async throws {
        try await Self.withTeam { app, team in
            let form = "happiness=7&sprint=2026/2&feedback=I+was+never"
            let response = try await Self.exchange(
                app, "POST /happiness/track", token: team.lead.token,
                headers: "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count + 10)",
                body: form, endsSending: true)
            #expect(response.hasPrefix("HTTP/1.1 400 ") || response.isEmpty, "\(response)")
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    // MARK: - Bodies that are not read

    /// Each route rejects before or while it reads the body, for its own reason.
    private static let refused: [(request: String, type: String, isLoggedIn: Bool, status: Int)] = [
        ("POST /api/v1/auth/login", "application/json", false, 413),
        ("POST /user/login", "application/json", false, 413), ("POST /api/v1/auth/login", "text/plain", false, 415),
        ("POST /user/changePassword", "text/plain", true, 415), ("PUT /api/v1/me/email", "text/plain", false, 401),
        ("POST /user/changePassword", "application/json", false, 401),
        ("POST /nothing", "application/json", false, 404), ("PUT /health/live", "application/json", false, 405),
        ("POST /api/v1/admin/jobs/x/restart", "application/json", true, 403),
        ("GET /health/live", "application/json", false, 200),
    ]

    @Test(.thorough, arguments: refused, [true, false])
    func `A large body is not read any further after its answer`(
        refused: (request: String, type: String, isLoggedIn: Bool, status: Int), isChunked: Bool
    ) async throws {
        try await Self.withTeam { app, team in
            let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 2147483648"
            let connection = try await RawConnection.open(port: try #require(app.port))
            let piece = String(repeating: "x", count: 64 * 1024)
            try await connection.send(
                Self.head(
                    refused.request, token: refused.isLoggedIn ? team.lead.token : "none",
                    "Content-Type: \(refused.type)\r\n\(length)"))
            var sent = 0
            do {
                while sent < 64 * 1024 * 1024 {
                    try await connection.send(isChunked ? "10000\r\n\(piece)\r\n" : piece)
                    sent += piece.utf8.count
                }
            } catch {
                // The server has closed the connection.
            }
            let response = await connection.receiveAll()
            // The socket's buffers hold some megabytes on both sides.
            #expect(sent < 32 * 1024 * 1024)
            #expect(response.hasPrefix("HTTP/1.1 \(refused.status) "), "\(response)")
            #expect(response.lowercased().contains("connection: close"))
            #expect(response.matches(of: #/HTTP/1\.1 /#).count == 1, "\(response)")
        }
    }

    @Test func `A client that writes the whole body first still reads the answer`() async throws {
        try await Self.withTeam { app, _ in
            let body = String(repeating: "x", count: 500_000)
            let response = try await Self.exchange(
                app, "POST /api/v1/auth/login",
                headers: "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)", body: body)
            #expect(response.hasPrefix("HTTP/1.1 413 ") && response.contains("/api#too-large"), "\(response)")
        }
    }

    @Test func `A small unread body does not cost the connection`() async throws {
        try await Self.withTeam { app, _ in
            let connection = try await RawConnection.open(port: try #require(app.port))
            let body = String(repeating: "x", count: 1_000)
            try await connection.send(
                Self.head("POST /user/changePassword", token: "none", "Content-Length: \(body.utf8.count)"))
            #expect(await connection.receive { $0.contains("HTTP/1.1 401 ") })
            #expect(!connection.received.lowercased().contains("connection: close"))
            try await connection.send(body + Self.head("GET /health/live", token: "none", ""))
            #expect(await connection.receive { $0.contains("HTTP/1.1 200 ") })
            try await connection.close()
        }
    }

    @Test func `A client that asks before sending and is refused sends nothing`() async throws {
        try await Self.withTeam { app, _ in
            let response = try await Self.exchange(
                app, "POST /user/changePassword", headers: "Content-Length: 1000\r\nExpect: 100-continue", body: "")
            #expect(response.hasPrefix("HTTP/1.1 401 ") && response.lowercased().contains("connection: close"))
        }
    }

    // MARK: - One after another

    @Test func `Requests that are sent together are answered in order`() async throws {
        try await Self.withTeam { app, team in
            let connection = try await RawConnection.open(port: try #require(app.port))
            let logIn = #"{"username":"blue0","password":"purple lamp 9"}"#
            try await connection.send(
                Self.head("GET /health/live", token: "none", "")
                    + Self.head(
                        "POST /api/v1/auth/login", token: "none",
                        "Content-Type: application/json\r\nContent-Length: \(logIn.utf8.count)") + logIn
                    + Self.head("GET /nothing", token: "none", "")
                    + Self.head("GET /api/v1/me", token: team.lead.token, "Connection: close")
                    + Self.head("GET /health/live", token: "none", ""))
            // This must not lose anything.
            try await connection.endSending()
            let response = await connection.receiveAll()
            #expect(response.matches(of: #/HTTP/1\.1 (\d+) /#).map { $0.output.1 } == ["200", "200", "404", "200"])
            #expect(response.contains("refreshToken") && response.contains("blue0@example.org"))
        }
    }

    @Test func `Nothing is done after an answer that ends the connection`() async throws {
        try await Self.withTeam { app, team in
            let ballot = #"{"happiness":7}"#
            let vote =
                Self.head(
                    "POST \(team.path)/sprints/2026/2/ballots", token: team.lead.token,
                    "Content-Type: application/json\r\nContent-Length: \(ballot.utf8.count)") + ballot
            let tooLarge = String(repeating: "x", count: 70_000)
            let response = try await Self.exchange(
                app, "POST /api/v1/auth/login",
                headers: "Content-Type: application/json\r\nContent-Length: \(tooLarge.utf8.count)",
                body: tooLarge + vote)
            #expect(response.hasPrefix("HTTP/1.1 413 "))
            #expect(response.matches(of: #/HTTP/1\.1 /#).count == 1)
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    @Test func `An invalid request gives 400`() async throws {
        try await Self.withTeam { app, _ in
            for garbage in [
                "nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "\0\0\0\0",
            ] {
                let connection = try await RawConnection.open(port: try #require(app.port))
                try await connection.send("\(garbage)\(Self.head("GET /health/live", token: "none", ""))")
                let response = await connection.receiveAll()
                #expect(response.hasPrefix("HTTP/1.1 400 "), "\(garbage) \(response)")
                #expect(response.matches(of: #/HTTP/1\.1 /#).count == 1)
            }
            #expect(app.activity.counts.failed == 0)
        }
    }

    // MARK: - The log

    @Test func `No log level mentions a connection`() async throws {
        try await Self.withTeam { app, team in
            let before = app.log.text
            for _ in 0..<3 {
                let connection = try await RawConnection.open(port: try #require(app.port))
                try await connection.send(
                    Self.head("GET \(team.path)/sprints/current", token: team.lead.token, "Connection: close"))
                #expect(await connection.receiveAll().hasPrefix("HTTP/1.1 200 "))
                let broken = try await RawConnection.open(port: try #require(app.port))
                try await broken.send("nonsense\r\n\r\n")
                _ = await broken.receiveAll()
                let silent = try await RawConnection.open(port: try #require(app.port))
                try await silent.close()
            }
            #expect(app.log.text == before)
            _ = try await app.get("/health/live")
            #expect(app.log.text != before, "the capture works")
        }
    }

    // MARK: -

    /// A request's head, including the empty line.
    private static func head(_ request: String, token: String, _ headers: String) -> String {
        let lines = ["\(request) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(token)", headers]
        return lines.filter { !$0.isEmpty }.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Sends a request and returns everything received until the server closes the connection.
    private static func exchange(
        _ app: TestApp, _ request: String, token: String = "none", headers: String, body: String,
        endsSending: Bool = false
    ) async throws -> String {
        let connection = try await RawConnection.open(port: try #require(app.port))
        try await connection.send(head(request, token: token, headers) + body)
        if endsSending { try await connection.endSending() }
        return await connection.receiveAll()
    }

    /// Nothing logged above debug, no error counted, and nothing at all about a ballot.
    private static func expectNoTrace(of path: String, in app: TestApp, since before: String) {
        let lines = app.log.text.dropFirst(before.count)
        if path.hasSuffix("/ballots") || path == "/happiness/track" {
            #expect(lines.isEmpty, "\(path)")
        } else {
            #expect(!lines.contains("error ") && !lines.contains("warning ") && !lines.contains("info "), "\(lines)")
        }
        #expect(app.activity.counts.failed == 0, "\(path)")
    }

    private static func withTeam(
        _ body: @escaping @Sendable (TestApp, SignedInTeam) async throws -> Void
    ) async throws {
        try await TestApp.with(over: .live) { app in try await body(app, try await app.makeTeam(members: 3)) }
    }
}
