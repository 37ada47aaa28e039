import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

@Suite struct EmailConfirmationPagesTests {
    private static let path = "/confirm-email"

    /// Anna, who requested another address, and her link.
    private func anna(_ app: TestApp, wants address: String = "anna@new.example") async throws -> (User, String) {
        let user = try await app.makeUser("anna")
        try await app.stores.update(id: user.id, UserUpdate(pendingEmail: .set(address)))
        return (user, try await app.link(.emailChange, to: user, at: address))
    }

    @Test func `Opening a link shows a button, and pressing it changes the address`() async throws {
        try await TestApp.with { app in
            let (user, token) = try await anna(app)
            for _ in 0..<2 {
                let page = try await app.get("\(Self.path)?token=\(token)")
                expectPage(page, saying: "anna@new.example")
                #expect(page.text.contains("name=\"token\" value=\"\(token)\""))
            }
            #expect(try await app.stores.user(user.id)?.email == user.email)
            expectPage(try await app.post(Self.path, form: "token=\(token)"), saying: "Address confirmed")
            #expect(try await app.stores.user(user.id)?.email == "anna@new.example")
            #expect(try await app.mails(.emailChanged).count == 1)
            expectPage(try await app.post(Self.path, form: "token=\(token)"), 422)
            expectPage(try await app.get("\(Self.path)?token=\(token)"), 422)
            #expect(try await app.mails(.emailChanged).count == 1)
        }
    }

    @Test func `The page says that an address has been taken in the meantime`() async throws {
        try await TestApp.with { app in
            let (user, token) = try await anna(app, wants: "bert@example.org")
            _ = try await app.makeUser("bert")
            expectPage(try await app.post(Self.path, form: "token=\(token)"), 409, saying: "Someone else has")
            #expect(try await app.stores.user(user.id)?.email == user.email)
        }
    }

    @Test func `Invalid links and invalid forms get pages too`() async throws {
        try await TestApp.with { app in
            let (user, token) = try await anna(app)
            let reset = try await app.link(.passwordReset, to: user)
            try await app.stores.update(id: user.id, UserUpdate(pendingEmail: .cleared))
            for token in ["", "x", token, reset] {
                expectPage(try await app.get("\(Self.path)?token=\(token)"), 422)
                expectPage(try await app.post(Self.path, form: "token=\(token)"), 422)
            }
            expectPage(try await app.post(Self.path, form: ""), 400)
        }
    }
}
