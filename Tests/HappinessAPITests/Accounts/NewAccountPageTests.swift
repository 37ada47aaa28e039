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

/// The pages that create accounts: the invitation's, and those of the registration.
@Suite struct NewAccountPageTests {
    private static let open = ["REGISTRATION_DOMAINS": "example.org:member"]

    private func form(_ fields: [String: String]) -> String {
        fields.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
            .joined(separator: "&")
    }

    /// Registers in a browser.
    /// - Returns: a link's token, created like the worker does.
    private func register(
        _ name: String, _ email: String, in app: TestApp, language: String
    ) async throws -> String {
        let sent = try await app.post(
            "/register?language=\(language)",
            form: form([
                "username": name, "email": email, "password": TestApp.password, "repeat": TestApp.password,
            ]))
        #expect(sent.status == .accepted)
        let registration = try #require(try await app.stores.read { try $0.registration(email: email) })
        let (text, token) = OneTimeToken.make(
            .registration, subject: registration.id.description, email: registration.email, at: app.clock.now)
        try await app.stores.insert(token)
        return text
    }

    /// Checks the headers that every page with a token must have.
    private func expectPrivate(_ response: TestResponse) {
        #expect(response.headers[.cacheControl] == "no-store")
        let referrer = response.headers[.referrerPolicy] ?? ""
        #expect(["no-referrer", "strict-origin"].contains(referrer), "never the address")
        #expect(response.headers[.contentSecurityPolicy]?.contains("default-src 'self'") == true)
        #expect(response.headers[.contentType] == "text/html; charset=utf-8")
    }

    @Test func `Looking at an invitation changes nothing`() async throws {
        try await TestApp.with { app in
            let team = Team(name: "Blau & <b>Gelb</b>")
            try await app.stores.insert(team)
            let token = try await app.invite("new@example.org", to: team.id, locale: .german)
            for _ in 0..<3 {
                let page = try await app.get("/invitation?token=\(token)")
                #expect(page.status == .ok)
                expectPrivate(page)
                #expect(page.headers[.contentLanguage] == "de")
                #expect(page.text.contains("Blau &amp; &lt;b&gt;Gelb&lt;/b&gt;"))
                #expect(page.text.contains("new@example.org"))
            }
            #expect(try await app.stores.user(login: "new@example.org") == nil)
        }
    }

    @Test(arguments: [
        ("en", "Do you want to join", "Join the team", "You’re in the team"),
        ("de", "Möchtest du", "Dem Team beitreten", "Du bist im Team"),
    ])
    func `Someone with an account is asked whether to join, and presses one button`(
        language: String, question: String, button: String, done: String
    ) async throws {
        try await TestApp.with { app in
            let team = Team(name: "Blau & <b>Gelb</b>")
            try await app.stores.insert(team)
            let anna = try await app.makeUser("anna")
            let token = try await app.invite("anna@example.org", to: team.id, locale: .german)
            for _ in 0..<3 {
                let page = try await app.get("/invitation?token=\(token)&language=\(language)")
                #expect(page.status == .ok)
                expectPrivate(page)
                for words in [question, button, "Blau &amp; &lt;b&gt;Gelb&lt;/b&gt;", ">anna</strong>"] {
                    #expect(page.text.contains(words), "\(words)")
                }
                #expect(page.text.ranges(of: "<button").count == 1)
                #expect(!page.text.contains("type=\"password\""))
            }
            #expect(try await app.stores.membership(of: anna.id, in: team.id) == nil)
            let response = try await app.post("/invitation?language=\(language)", form: form(["token": token]))
            #expect(response.status == .ok)
            expectPrivate(response)
            #expect(response.text.contains(done) && response.text.contains("anna"))
            #expect(try await app.stores.membership(of: anna.id, in: team.id) != nil)
            #expect(try await app.get("/invitation?token=\(token)").status == .unprocessableContent)
        }
    }

    @Test func `The join page speaks the language of the account`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let anna = try await app.makeUser("anna")
            try await app.stores.update(id: anna.id, UserUpdate(locale: "de"))
            let token = try await app.invite("anna@example.org", to: team.id)
            let page = try await app.get("/invitation?token=\(token)")
            #expect(page.headers[.contentLanguage] == "de")
        }
    }

    @Test func `A form without name and password is not enough for a new account`() async throws {
        try await TestApp.with { app in
            let token = try await app.invite("new@example.org")
            let response = try await app.post("/invitation", form: form(["token": token]))
            #expect(response.status == .unprocessableContent)
            #expect(response.text.contains("There’s no account with this address") && response.text.contains(token))
            #expect(try await app.stores.user(login: "new@example.org") == nil)
        }
    }

    @Test func `A disabled account reads why it cannot join`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let anna = try await app.makeUser("anna")
            let token = try await app.invite("anna@example.org", to: team.id)
            try await app.stores.update(id: anna.id, UserUpdate(isDisabled: true))
            for response in [
                try await app.get("/invitation?token=\(token)"),
                try await app.post("/invitation", form: form(["token": token])),
            ] {
                #expect(response.status == .forbidden)
                #expect(response.text.contains("Your account has been disabled"))
            }
        }
    }

    @Test func `The form is shown again until everything is right`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            let token = try await app.invite("new@example.org")
            let good = TestApp.password
            let cases: [(name: String, password: String, second: String, status: Int, words: String)] = [
                ("anna", good, good, 409, "user name is taken"),
                ("a@b", good, good, 422, "user name won’t work"),
                ("\"><script>", good, "else", 422, "&quot;&gt;&lt;script&gt;"),
                ("Newcomer", "short", "short", 422, "too short"),
            ]
            for (name, password, second, status, words) in cases {
                let page = try await app.post(
                    "/invitation",
                    form: form(["token": token, "username": name, "password": password, "repeat": second]))
                #expect(page.status.code == status, "\(name)")
                #expect(page.text.contains(words), "\(name)")
                #expect(page.text.contains(token))
                #expect(!page.text.contains(good) && !page.text.contains("<script>"))
            }
            let done = try await app.post(
                "/invitation", form: form(["token": token, "username": "Newcomer", "password": good, "repeat": good]))
            #expect(done.status == .ok)
            #expect(done.text.contains("Newcomer"))
            expectPrivate(done)
            let newcomer = try #require(try await app.stores.user(login: "newcomer"))
            _ = try await app.token(of: newcomer)
            let used = try await app.get("/invitation?token=\(token)")
            #expect(used.status == .unprocessableContent)
            #expect(used.text.contains("has expired"))
        }
    }

    /// Sends a form like a browser that names its origin.
    private func send(_ fields: [String: String], to path: String, from site: String?, in app: TestApp) async throws
        -> TestResponse
    {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .acceptLanguage: "en"]
        headers[.secFetchSite] = site
        return try await app.send(.post, path, headers: headers, body: ByteBuffer(string: form(fields)))
    }

    @Test func `Someone who has created their account is logged in`() async throws {
        try await TestApp.with(settings: Self.open) { app in
            let team = try await app.makeTeam()
            let good = TestApp.password
            let invited = try await app.invite("new@example.org", to: team.id)
            let registered = try await register("Anna", "anna@example.org", in: app, language: "en")
            let responses = [
                try await send(
                    ["token": invited, "username": "Newcomer", "password": good, "repeat": good], to: "/invitation",
                    from: "same-origin", in: app),
                try await send(
                    ["token": registered, "password": good], to: "/registration", from: "same-origin", in: app),
            ]
            for (response, name) in zip(responses, ["Newcomer", "Anna"]) {
                #expect(response.status == .ok)
                expectPrivate(response)
                #expect(response.text.contains("You’re logged in as \(name)."))
                #expect(response.text.contains("href=\"/\"") && !response.text.contains("href=\"/login\""))
                let cookie = try #require(response.headers[.setCookie]?.split(separator: ";").first)
                let settings = try await app.get("/settings", headers: [.cookie: String(cookie)])
                #expect(settings.status == .ok && settings.text.contains(name))
            }
        }
    }

    /// The browser asks for English, like that of a German on a company's computer.
    @Test(arguments: [("", "de"), ("?language=en", "en")])
    func `The pages of a new account stay in the language of its form`(query: String, language: String) async throws {
        try await TestApp.with(settings: Self.open) { app in
            let good = TestApp.password
            let invited = try await app.invite("new@example.org", to: try await app.makeTeam().id, locale: .german)
            let registered = try await register("Anna", "anna@example.org", in: app, language: "de")
            let responses = [
                try await send(
                    ["token": invited, "username": "Newcomer", "password": good, "repeat": good],
                    to: "/invitation\(query)", from: "same-origin", in: app),
                try await send(
                    ["token": registered, "password": good], to: "/registration\(query)", from: "same-origin", in: app),
            ]
            for response in responses {
                expectPage(response, language: language)
                let cookie = try #require(response.headers[.setCookie]?.split(separator: ";").first)
                let headers: HTTPFields = [.cookie: String(cookie), .acceptLanguage: "en"]
                expectPage(try await app.get("/settings", headers: headers), language: language)
            }
        }
    }

    @Test(arguments: [("", "de"), (#","locale":"en""#, "en")])
    func `An account of the API keeps the language of its invitation, or the one it names`(
        field: String, language: String
    ) async throws {
        try await TestApp.with { app in
            let token = try await app.invite("new@example.org", locale: .german)
            let json = #"{"token":"\#(token)","username":"Newcomer","password":"\#(TestApp.password)"\#(field)}"#
            #expect(try await app.post("/api/v1/invitations/accept", json: json).status == .created)
            #expect(try await app.stores.user(login: "newcomer")?.locale == language)
        }
    }

    /// Another site may have sent it, with an invitation of its own: then the user would vote in an attacker's account
    /// without noticing.
    @Test(arguments: [nil, "cross-site", "same-site", "none"])
    func `A new user from another site's page must log in`(site: String?) async throws {
        try await TestApp.with(settings: Self.open) { app in
            let good = TestApp.password
            let invited = try await app.invite("new@example.org")
            let registered = try await register("Anna", "anna@example.org", in: app, language: "en")
            for response in [
                try await send(
                    ["token": invited, "username": "Newcomer", "password": good, "repeat": good], to: "/invitation",
                    from: site, in: app),
                try await send(["token": registered, "password": good], to: "/registration", from: site, in: app),
            ] {
                #expect(response.status == .ok)
                #expect(response.headers[.setCookie] == nil)
                #expect(response.text.contains("href=\"/login\""))
            }
            #expect(try await app.stores.user(login: "Newcomer") != nil)
        }
    }

    @Test(arguments: ["/invitation", "/invitation?token=", "/invitation?token=x", "/registration?token=x"])
    func `An invalid link is explained`(address: String) async throws {
        try await TestApp.with(settings: Self.open) { app in
            let page = try await app.get(address)
            #expect(page.status == .unprocessableContent)
            #expect(page.text.contains("<h1>This link has expired</h1>"))
            expectPrivate(page)
        }
    }

    @Test func `Registering leads to an account through the mailed link`() async throws {
        try await TestApp.with(settings: Self.open) { app in
            #expect(try await app.get("/register").text.contains("example.org"))
            let token = try await register("Anna", "anna@example.org", in: app, language: "de")
            #expect(try await app.stores.read { try $0.registration(email: "anna@example.org") }?.locale == "de")
            let page = try await app.get("/registration?token=\(token)")
            #expect(page.status == .ok)
            #expect(page.text.contains("Anna") && page.text.contains("anna@example.org"))
            #expect(try await app.stores.user(login: "Anna") == nil)
            let done = try await app.post(
                "/registration", form: form(["token": token, "password": TestApp.password]))
            #expect(done.status == .ok)
            _ = try await app.token(of: try #require(try await app.stores.user(login: "Anna")))
        }
    }

    @Test(arguments: [
        ("en", "isn’t confirmed yet", "Send the e-mail again"),
        ("de", "noch nicht bestätigt", "Mail noch einmal senden"),
    ])
    func `A log-in before the confirmation offers the mail once more`(
        language: String, missing: String, again: String
    ) async throws {
        try await TestApp.with(settings: Self.open) { app in
            _ = try await register("Anna", "anna@example.org", in: app, language: language)
            let path = "/login?language=\(language)"
            let page = try await app.post(
                path, form: form(["username": "anna@example.org", "password": TestApp.password]))
            expectPage(page, 401, saying: missing, language: language)
            #expect(page.text.contains(again) && page.text.contains("action=\"/register/again?language=\(language)\""))
            #expect(page.text.ranges(of: "value=\"anna@example.org\"").count == 2)
            let wrong = try await app.post(path, form: form(["username": "Anna", "password": "another password"]))
            expectPage(wrong, 401, language: language)
            #expect(!wrong.text.contains(missing) && !wrong.text.contains("/register/again"))

            var answers: Set<String> = []
            for address in ["anna@example.org", "nobody@example.org"] {
                let sent = try await app.post(
                    "/register/again?language=\(language)", form: form(["email": address]))
                expectPage(sent, 202, language: language)
                answers.insert(sent.text)
            }
            #expect(answers.count == 1)
            let json = #"{"username":"anna","password":"\#(TestApp.password)"}"#
            let refused = try await app.post("/api/v1/auth/login", json: json)
            expectRejection(refused, 401)
            #expect(refused.object["type"] as? String == "/api#address-not-confirmed")
        }
    }

    @Test(arguments: [
        ("en", "isn’t the password chosen", "just close this page"),
        ("de", "nicht das Passwort, das für dieses Konto gewählt wurde", "Schließe einfach diese Seite"),
    ])
    func `A wrong password is asked for again, until the user must wait`(
        language: String, wrong: String, otherwise: String
    ) async throws {
        try await TestApp.with(settings: Self.open) { app in
            let token = try await register("Anna", "anna@example.org", in: app, language: language)
            func confirm(_ password: String) async throws -> TestResponse {
                try await app.post("/registration", form: form(["token": token, "password": password]))
            }
            for _ in 0..<5 {
                let again = try await confirm("not the one")
                #expect(again.status == .forbidden)
                expectPrivate(again)
                #expect(again.text.contains(wrong) && again.text.contains(otherwise))
                #expect(again.text.contains(token) && !again.text.contains("not the one"))
            }
            let early = try await confirm(TestApp.password)
            #expect(early.status == .tooManyRequests)
            #expect(early.headers[.retryAfter] == "1")
            #expect(early.text.contains(token))
            #expect(try await app.stores.user(login: "Anna") == nil)
            app.clock.now += 1
            #expect(try await confirm(TestApp.password).status == .ok)
        }
    }

    /// With a single click on the link, or on a button, the user has not entered anything.
    @Test(arguments: [["password": ""], [:]])
    func `A click alone never creates an account`(fields: [String: String]) async throws {
        try await TestApp.with(settings: Self.open) { app in
            let token = try await register("Mallory", "anna@example.org", in: app, language: "en")
            let page = try await app.get("/registration?token=\(token)")
            #expect(page.text.contains(#"type="password""#))
            let response = try await app.post("/registration", form: form(fields.merging(["token": token]) { $1 }))
            #expect(response.status == (fields.isEmpty ? .badRequest : .forbidden))
            #expect(try await app.stores.user(login: "anna@example.org") == nil)
            #expect(try await app.get("/registration?token=\(token)").status == .ok)
        }
    }

    @Test func `The registration page says the same for an address with an account`() async throws {
        try await TestApp.with(settings: Self.open) { app in
            _ = try await app.makeUser("anna")
            var pages: Set<String> = []
            for (name, address) in [("one", "anna@example.org"), ("two", "new@example.org")] {
                let page = try await app.post(
                    "/register",
                    form: form([
                        "username": name, "email": address, "password": TestApp.password, "repeat": TestApp.password,
                    ]))
                pages.insert(page.classic)
            }
            #expect(pages.count == 1)
        }
    }

    @Test(arguments: [
        ("Sec-Fetch-Site", "cross-site", 403), ("Sec-Fetch-Site", "same-site", 403),
        ("Sec-Fetch-Site", "same-origin", 422),
        ("Sec-Fetch-Site", "none", 422), ("Origin", "https://evil.example", 403), ("Origin", "null", 403),
        ("Origin", "http://localhost:8080", 422),
    ])
    func `A form sent from another site is refused`(header: String, value: String, status: Int) async throws {
        try await TestApp.with(settings: Self.open) { app in
            let name = try #require(HTTPField.Name(header))
            let response = try await app.send(
                .post, "/register", headers: [.contentType: "application/x-www-form-urlencoded", name: value],
                body: ByteBuffer(string: "username=a&email=a%40example.org&password=x&repeat=y"))
            #expect(response.status.code == status)
        }
    }
}
