import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

@Suite struct PasswordResetRoutesTests {
    private static let password = "nine blue kettles"

    @Test func `The answer does not depend on whether the address has an account`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let disabled = try await app.makeUser("bert")
            try await app.stores.update(id: disabled.id, UserUpdate(isDisabled: true))
            for call in ["classic", "v1"] {
                var responses: [(String, HTTPFields)] = []
                // The fourth mail within an hour is not sent, and the response does not reveal that either.
                for address in ["anna", "bert", "nobody", "anna", "anna", "anna", "nobody"] {
                    let response =
                        call == "classic"
                        ? try await app.get("/user/sendPasswordResetMail?email=\(address)@example.org")
                        : try await app.post(
                            "/api/v1/auth/password-reset", json: #"{"email":"\#(address)@example.org"}"#)
                    responses.append((response.classic, response.headers))
                }
                #expect(Set(responses.map(\.0)).count == 1)
                #expect(Set(responses.map(\.1)).count == 1)
                #expect(responses[0].0.hasPrefix(call == "classic" ? #"200 {"message":"# : #"202 {"message":"#))
            }
            let payload = #"{"userID":"\#(user.id)"}"#
            #expect(try await app.mails(.passwordReset).filter { $0 == payload }.count == 3)
        }
    }

    @Test func `An invalid address is refused, and a plus sign is kept`() async throws {
        try await TestApp.with { app in
            for query in ["", "?email=", "?email=anna", "?email=a%20b@example.org", "?email=a@b", "?mail=a@b.example"] {
                expectRejection(try await app.get("/user/sendPasswordResetMail\(query)"), 400, classic: true)
            }
            for json in [#"{}"#, #"{"email":"anna"}"#, #"{"email":{"$ne":""}}"#, #"{"email":7}"#, "[]", ""] {
                expectRejection(try await app.post("/api/v1/auth/password-reset", json: json), 400)
            }
            let user = User(name: try UserName("plus"), email: try EmailAddress("a+b@example.org"))
            try await app.stores.insert(user)
            for email in ["a+b@example.org", "a%2Bb@example.org"] {
                #expect(try await app.get("/user/sendPasswordResetMail?email=\(email)").status == .ok)
            }
            let payload = #"{"userID":"\#(user.id)"}"#
            #expect(try await app.mails(.passwordReset) == [payload, payload])
        }
    }

    @Test func `A token sets the password once`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let session = try await app.token(of: user)
            let token = try await app.link(.passwordReset, to: user)
            let path = "/api/v1/auth/password-reset/confirm"
            let weak = try await app.post(path, json: #"{"token":"\#(token)","password":"password1"}"#)
            expectRejection(weak, 422, saying: "most common")
            let body = #"{"token":"\#(token)","password":"\#(Self.password)"}"#
            #expect(try await app.post(path, json: body).status == .noContent)
            expectRejection(try await app.post(path, json: body), 422, saying: "link")
            expectRejection(try await app.get("/api/v1/me", token: session), 401)
            #expect(try await app.logIn("anna", TestApp.password) == 401)
            #expect(try await app.logIn("anna", Self.password) == 200)
            #expect(try await app.mails(.passwordChanged).count == 1)
        }
    }

    @Test func `The password is changed with the current one`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let session = try await app.token(of: user)
            let other = try await app.token(of: user)
            let path = "/api/v1/me/password"
            func body(_ current: String, _ new: String) -> String {
                #"{"currentPassword":"\#(current)","newPassword":"\#(new)"}"#
            }
            expectRejection(try await app.put(path, json: body(TestApp.password, Self.password)), 401)
            expectRejection(try await app.put(path, token: session, json: body("wrong one", Self.password)), 403)
            expectRejection(try await app.put(path, token: session, json: body(TestApp.password, "short")), 422)
            expectRejection(try await app.put(path, token: session, json: "{}"), 400)
            #expect(try await app.mails(.passwordChanged).isEmpty)
            let changed = try await app.put(path, token: session, json: body(TestApp.password, Self.password))
            #expect(changed.status == .noContent)
            #expect(try await app.get("/api/v1/me", token: session).status == .ok)
            expectRejection(try await app.get("/api/v1/me", token: other), 401)
            #expect(try await app.logIn("anna", Self.password) == 200)
            #expect(try await app.mails(.passwordChanged).count == 1)
        }
    }

    @Test func `The address is changed with the password, and is valid later`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let session = try await app.token(of: user)
            let path = "/api/v1/me/email"
            func body(_ email: String, _ password: String = TestApp.password) -> String {
                #"{"email":"\#(email)","password":"\#(password)"}"#
            }
            expectRejection(try await app.put(path, json: body("anna@new.example")), 401)
            expectRejection(try await app.put(path, token: session, json: body("anna@new.example", "wrong")), 403)
            expectRejection(try await app.put(path, token: session, json: body("no address")), 400)
            expectRejection(try await app.put(path, token: session, json: #"{"email":"anna@new.example"}"#), 400)
            expectRejection(try await app.put(path, token: session, json: body("ANNA@example.org")), 422)
            #expect(try await app.mails(.emailChange).isEmpty)
            let asked = try await app.put(path, token: session, json: body("anna@new.example"))
            #expect(asked.status == .accepted)
            // Members do not learn either whether an address has an account.
            _ = try await app.makeUser("bert")
            let taken = try await app.put(path, token: session, json: body("bert@example.org"))
            #expect(taken.classic == asked.classic)
            #expect(try await app.stores.user(user.id)?.email == user.email)
        }
    }

    /// It cannot: only `doctor` and `config check`, which serve no request, can reach the code that sends mails.
    @Test func `A request never waits for a mail server`() throws {
        for target in ["HappinessAPI", "Shared"] {
            let sources = try Repository.sources(in: "Sources/\(target)")
            let commands = ["/Doctor+Services.swift", "/ConfigCommand.swift"]
            for source in sources where !commands.contains(where: source.path.hasSuffix) {
                let link = source.text.firstMatch(of: /(?m)^(?:(?:public|package) )?import (?:Mail|CCurl)$/)
                #expect(link == nil, "\(source.path)")
            }
        }
    }

    /// A mail in the log would give access to an account.
    @Test func `Neither token nor address is logged`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let token = try await app.link(.passwordReset, to: user)
            _ = try await app.get("/user/sendPasswordResetMail?email=anna@example.org")
            _ = try await app.get("/user/resetPassword?token=\(token)")
            _ = try await app.post("/user/resetPassword", form: "token=\(token)&choice=generated")
            let log = app.log.text
            #expect(log.contains("/user/resetPassword"))
            #expect(!log.contains(token))
            #expect(!log.contains("example.org"))
        }
    }
}
