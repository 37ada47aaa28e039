import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The links that end mails (RFC 8058).
@Suite struct UnsubscribePagesTests {
    private static let path = "/unsubscribe"

    private func token(_ app: TestApp, _ subscription: MailSubscription, _ user: User) -> String {
        UnsubscribeTokens(secret: app.secrets.jwt).token(ending: subscription, of: user.id)
    }

    private func wishes(_ app: TestApp, _ user: User) async throws -> NotificationSettings? {
        try await app.stores.user(user.id)?.notifications
    }

    @Test(arguments: MailSubscription.allCases)
    func `Opening a link changes nothing, and pressing its button ends the mails`(
        subscription: MailSubscription
    ) async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            try await app.stores.update(id: anna.id, UserUpdate(notifications: .init(results: true)))
            let token = token(app, subscription, anna)
            for _ in 0..<2 {
                let page = try await app.get("\(Self.path)?token=\(token)")
                expectPage(page, saying: subscription == .reminders ? "reminders or team messages" : "the results")
                #expect(page.text.contains("action=\"/unsubscribe?token=\(token)&amp;language=en\""))
                #expect(page.headers[.setCookie] == nil)
            }
            #expect(try await wishes(app, anna) == NotificationSettings(results: true))
            for _ in 0..<2 {
                let done = try await app.post("\(Self.path)?token=\(token)", form: "")
                expectPage(done, saying: "E-mails stopped")
                #expect(done.headers[.setCookie] == nil)
            }
            let left = NotificationSettings(mail: subscription != .reminders, results: subscription != .results)
            #expect(try await wishes(app, anna) == left)
        }
    }

    /// RFC 8058 §3.2: a POST with this body as parts or as a form, without cookies; web mail names another origin.
    @Test(arguments: [
        ("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"),
        (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n"
        ),
    ])
    func `A mail program ends the mails with one request`(contentType: String, body: String) async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let response = try await app.send(
                .post, "\(Self.path)?token=\(token(app, .reminders, anna))",
                headers: [.contentType: contentType, .origin: "https://mail.example"], body: ByteBuffer(string: body))
            expectPage(response)
            #expect(try await wishes(app, anna)?.mail == false)
            #expect(try await wishes(app, anna)?.push == true)
        }
    }

    @Test func `The page is in the user's language`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            try await app.stores.update(id: anna.id, UserUpdate(locale: "de"))
            let path = "\(Self.path)?token=\(token(app, .results, anna))"
            expectPage(try await app.get(path), saying: "Diese Mails abbestellen?", language: "de")
            expectPage(try await app.post(path, form: ""), saying: "Mails abbestellt", language: "de")
        }
    }

    @Test func `Made-up links end nothing`() async throws {
        try await TestApp.with { app in
            let anna = try await app.makeUser("anna")
            let token = token(app, .reminders, anna)
            let others = [
                "", "x", token + "A", token.replacing("reminders", with: "results"),
                UnsubscribeTokens(secret: app.secrets.ballot.key).token(ending: .reminders, of: anna.id),
                UnsubscribeTokens(secret: app.secrets.jwt).token(ending: .reminders, of: .random()),
            ]
            for other in others {
                expectPage(try await app.get("\(Self.path)?token=\(other)"), 422)
                expectPage(try await app.post("\(Self.path)?token=\(other)", form: ""), 422)
            }
            let long = String(repeating: "x", count: 5_000)
            expectPage(try await app.post("\(Self.path)?token=\(token)", form: long), 413)
            #expect(try await wishes(app, anna) == NotificationSettings())
            #expect(app.log.lines.allSatisfy { !$0.contains(token) }, "the log has no token")
        }
    }
}
