import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Product
import Storage
import TestSupport
import Testing

@testable import HappinessAPI
@testable import Services

/// `/api/v1/admin/status`.
@Suite struct StatusRouteTests {
    private static let path = "/api/v1/admin/status"

    @Test func `Only administrators read the status`() async throws {
        try await TestApp.with(settings: [
            "MAIL_DRIVER": "smtp", "SMTP_URL": "smtp://127.0.0.1:9", "MAIL_FROM": "a@b.example",
        ]) { app in
            let admin = try await app.token(of: app.makeUser("admin", role: .admin))
            expectRejection(try await app.get(Self.path), 401)
            expectRejection(try await app.get(Self.path, token: try await app.token(of: app.makeUser("maria"))), 403)

            let seen = ProcessRecord(
                id: .random(), kind: .worker, host: "one", version: "1.0.0", started: TestApp.now - 100,
                seen: TestApp.now - 61, load: ProcessLoad(memory: 60e6, cpu: 0.1))
            try await app.stores.record(seen)
            let status = try await app.get(Self.path, token: admin)
            let versions = try #require(status.object["versions"] as? [String: Any])
            #expect(versions["product"] as? String == ProductVersion.current)
            #expect((versions["store"] as? String)?.hasPrefix("SQLite 3.") == true)
            #expect((versions["schema"] as? String)?.isEmpty == false)
            let processes = try #require(status.object["processes"] as? [[String: Any]])
            // The server under test may have stored a record of its own.
            let worker = processes.first { $0["kind"] as? String == "worker" }
            #expect(worker?["isAlive"] as? Bool == false && worker?["isThis"] as? Bool == false)
            let parts = try #require(status.object["parts"] as? [[String: String]])
            #expect(parts.map { $0["state"] } == ["reachable", "reachable", "unreachable", "local", "local"])
            #expect(parts[2]["driver"] == "smtp · 127.0.0.1")
        }
    }

    @Test(.thorough) func `A part that hangs does not hold up the others`() async throws {
        let part = ServicePart(purpose: .objects, driver: "s3") {
            // Ignores cancellation, like a driver that waits for a socket.
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        #expect(await part.state(logger: Logger(label: "test")) == .unreachable)
        #expect(await TimeLimit.run(.seconds(60)) { 7 } == 7)
    }

    /// The counts behind the charts, on a server where members vote and whose page has an error meanwhile.
    @Test func `The requests of a vote are in no count`() async throws {
        let activity = ServerActivity()
        let router = Router(context: AppRequestContext.self)
        router.add(middleware: RequestLogMiddleware(activity: activity, logger: Logger(label: "test")))
        router.add(middleware: ErrorMiddleware(allowedMethods: { _ in [] }))
        for route in BallotRoutes.patterns.sorted() { router.get(RouterPath(route)) { _, _ in Response(status: .ok) } }
        router.get("/health/live") { _, _ in Response(status: .ok) }
        try await Application(router: router).test(.router) { client in
            for route in BallotRoutes.patterns {
                let path = route.replacing(/{[a-z]+}/, with: "1")
                try await client.execute(uri: path, method: .get) { #expect($0.status == .ok, "\(path)") }
            }
            #expect(BallotRoutes.contains("/api/v1/client-errors"))
            // Everything below the form: also to be reminded later says that its sender has not voted.
            let pages = try Repository.text("docs/pages.md").matches(of: /`(\/teams\/\{team\}\/vote[^`]*)`/)
            #expect(pages.count >= 4)
            for page in pages { #expect(BallotRoutes.contains(String(page.output.1)), "\(page.output.1)") }
            #expect(activity.counts == .init())
            try await client.execute(uri: "/health/live", method: .get) { _ in }
            #expect(activity.counts.answered == 1)
        }
    }
}
