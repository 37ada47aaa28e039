import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

@Suite struct PasswordResetPagesTests {
    private static let path = "/user/resetPassword"
    private static let password = "nine blue kettles"

    @Test func `Opening a link shows a form and changes nothing`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let token = try await app.link(.passwordReset, to: user)
            for _ in 0..<3 {
                let page = try await app.get("\(Self.path)?token=\(token)")
                expectPage(page, saying: "Choose a new password")
                #expect(page.text.contains("name=\"token\" value=\"\(token)\""))
                #expect(page.text.contains(">anna<"))
            }
            _ = try await app.send(.head, "\(Self.path)?token=\(token)")
            #expect(try await app.logIn("anna", TestApp.password) == 200)
            #expect(try await app.mails(.passwordChanged).isEmpty)
        }
    }

    @Test func `A password that is typed twice is saved`() async throws {
        try await TestApp.with { app in
            let token = try await app.link(.passwordReset, to: try await app.makeUser("anna"))
            let form = "token=\(token)&password=nine+blue%20kettles&repeat=nine%20blue+kettles&choice=own"
            let done = try await app.post(Self.path, form: form)
            expectPage(done, saying: "Password changed")
            #expect(!done.text.contains("kettles"))
            #expect(try await app.logIn("anna", TestApp.password) == 401)
            #expect(try await app.logIn("anna", Self.password) == 200)
            expectPage(try await app.post(Self.path, form: form), 422, saying: "/forgot-password")
            expectPage(try await app.get("\(Self.path)?token=\(token)"), 422)
        }
    }

    @Test func `A generated password is shown once`() async throws {
        for policy in ["length", "classes"] {
            try await TestApp.with(settings: ["PASSWORD_POLICY": policy]) { app in
                let token = try await app.link(.passwordReset, to: try await app.makeUser("anna"))
                let done = try await app.post(Self.path, form: "token=\(token)&password=&repeat=&choice=generated")
                expectPage(done, saying: "shown only once")
                let match = try #require(done.text.firstMatch(of: /<code class="secret">([A-Za-z0-9-]{19})<\/code>/))
                #expect(try await app.logIn("anna", String(match.output.1)) == 200)
                expectPage(try await app.post(Self.path, form: "token=\(token)&choice=generated"), 422)
                #expect(try await app.mails(.passwordChanged).count == 1)
            }
        }
    }

    @Test func `The form shows what is invalid, and the link stays valid`() async throws {
        try await TestApp.with { app in
            let token = try await app.link(.passwordReset, to: try await app.makeUser("anna"))
            let cases = [
                ("", "both fields"), ("password=&repeat=", "both fields"),
                ("password=nine+blue+kettles", "don’t match"),
                ("password=nine+blue+kettles&repeat=nine+blue", "don’t match"),
                ("password=short&repeat=short", "too short"), ("password=password1&repeat=password1", "most common"),
            ]
            for (fields, words) in cases {
                let page = try await app.post(Self.path, form: "token=\(token)&\(fields)")
                expectPage(page, 422, saying: words)
                #expect(page.text.contains("name=\"token\" value=\"\(token)\""))
                #expect(!page.text.contains("kettles"), "a typed password is not sent back")
            }
            #expect(try await app.logIn("anna", TestApp.password) == 200)
            #expect(try await app.get("\(Self.path)?token=\(token)").status == .ok)
        }
    }

    @Test func `Invalid links and invalid forms get pages too`() async throws {
        try await TestApp.with { app in
            let token = try await app.link(.passwordReset, to: try await app.makeUser("anna"))
            app.clock.advance(by: 3_600)
            for query in ["", "?token=", "?token=\(token)", "?token=%20", "?token=%3Cscript%3E&language=fr"] {
                expectPage(try await app.get("\(Self.path)\(query)"), 422, saying: "/forgot-password")
            }
            expectPage(try await app.post(Self.path, form: "password=x"), 400)
            expectPage(try await app.post(Self.path, form: "token=%ZZ"), 400)
            expectPage(try await app.post(Self.path, form: "token=\(token)&choice=other"), 400)
            for type in ["text/plain", "application/json"] {
                expectPage(try await app.send(.post, Self.path, headers: [.contentType: type]), 415)
            }
        }
    }

    @Test func `The mail is requested on a page`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            expectPage(try await app.get("/forgot-password"), saying: "Forgot your password?")
            var pages: Set<String> = []
            for address in ["anna@example.org", "nobody%40example.org"] {
                let page = try await app.post("/forgot-password", form: "email=\(address)")
                expectPage(page, saying: "Check your inbox")
                pages.insert(page.text)
            }
            #expect(pages.count == 1)
            let wrong = try await app.post("/forgot-password", form: "email=%22%3E%3Cb%3E")
            expectPage(wrong, 400, saying: "value=\"&quot;&gt;&lt;b&gt;\"")
            #expect(try await app.mails(.passwordReset).contains(#"{"userID":"\#(user.id)"}"#))
        }
    }

    @Test func `The page speaks the language of the address, account or browser`() async throws {
        try await TestApp.with { app in
            let german = try await app.makeUser("anna")
            try await app.stores.update(id: german.id, UserUpdate(locale: "de"))
            let token = try await app.link(.passwordReset, to: german)
            expectPage(try await app.get("\(Self.path)?token=\(token)"), saying: "Neues Passwort", language: "de")
            let english = try await app.get("\(Self.path)?token=\(token)&language=en")
            expectPage(english, saying: "\(Self.path)?token=\(token)&amp;language=de", language: "en")
            // The user is unknown on the page for a forgotten password.
            let browsers = [("de-AT,de;q=0.9,en;q=0.8", "de"), ("fr, en;q=0.3, de;q=0.7", "de"), ("fr", "en")]
            for (header, language) in browsers {
                let page = try await app.get("/forgot-password", headers: [.acceptLanguage: header])
                expectPage(page, language: language)
            }
            let weak = "token=\(token)&password=short&repeat=short"
            expectPage(try await app.post(Self.path, form: weak), 422, saying: "zu kurz", language: "de")
            expectPage(try await app.post("\(Self.path)?language=en", form: weak), 422, saying: "too short")
        }
    }

    @Test func `A page says that the store is unreachable`() async throws {
        try await TemporaryDirectory.with { directory in
            let stores = try SQLiteStorage.open(path: directory.path("happiness.sqlite"))
            _ = try await stores.system.migrate()
            try await TestApp.with(stores: stores) { app in
                try await stores.system.close()
                let responses = [
                    try await app.get("\(Self.path)?token=x"), try await app.post(Self.path, form: "token=x"),
                    try await app.post("/forgot-password", form: "email=a@example.org"),
                    try await app.get("/confirm-email?token=x"),
                ]
                for response in responses {
                    expectPage(response, 503, saying: "data can’t be reached")
                    #expect(response.headers[.retryAfter] != nil)
                }
            }
        }
    }
}
