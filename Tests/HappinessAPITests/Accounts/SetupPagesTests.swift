import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The first administrator of an installation.
@Suite struct SetupPagesTests {
    private static let typed = [
        "username": "Anna", "email": "anna@example.org", "password": TestApp.password, "repeat": TestApp.password,
        "team": "Blue", "timeZone": "Europe/Vienna", "policy": "close",
    ]

    private func form(_ token: String, _ changes: [String: String] = [:]) -> String {
        Self.typed.merging(changes) { $1 }.merging(["token": token]) { $1 }
            .map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
            .joined(separator: "&")
    }

    /// The token of a link as the server prints it.
    private func token(in app: TestApp) async throws -> String {
        let setup = SetupService(
            stores: app.stores, hasher: try PasswordHasher(cost: PasswordHasher.costs.lowerBound),
            secret: TestTeam.secret, clock: app.clock.wall)
        let link = try #require(try await setup.makeLink(publicURL: "https://happiness.example.org"))
        let start = "https://happiness.example.org/setup?token="
        #expect(link.hasPrefix(start))
        return String(link.dropFirst(start.count))
    }

    @Test(arguments: [
        ("en", "There are no accounts yet.", "Log in"), ("de", "Es gibt noch keine Konten.", "Anmelden"),
    ])
    func `The log-in page says what to do until there is an account`(
        language: String, hint: String, title: String
    ) async throws {
        try await TestApp.with { app in
            let page = try await app.get("/login?language=\(language)")
            expectPage(page, saying: hint, language: language)
            #expect(page.text.contains("HappinessAPI setup"))
            let failed = try await app.post("/login?language=\(language)", form: "username=a&password=b")
            expectPage(failed, 401, saying: hint, language: language)
            _ = try await app.makeUser("anna", role: .guest)
            let later = try await app.get("/login?language=\(language)")
            expectPage(later, saying: "<h1>\(title)</h1>", language: language)
            #expect(!later.text.contains(hint))
        }
    }

    @Test func `The link creates an administrator who is logged in`() async throws {
        try await TestApp.with { app in
            let token = try await token(in: app)
            for _ in 0..<2 {
                let page = try await app.get("/setup?token=\(token)")
                expectPage(page, saying: "value=\"\(token)\"")
                #expect(page.text.contains("“Immediately” protects no one."))
                #expect(try await app.stores.users(after: nil, limit: 1).isEmpty)
            }
            let response = try await app.post("/setup?language=de", form: form(token))
            #expect(response.status == .seeOther && response.headers[.location] == "/admin")
            let cookie = try #require(response.headers[.setCookie]?.split(separator: ";").first.map(String.init))
            let start = try await app.get("/admin/people", headers: [.cookie: cookie])
            #expect(start.status == .ok && start.text.contains("anna@example.org"))
            let anna = try #require(try await app.stores.user(login: "anna"))
            #expect(anna.role == .admin && anna.language == .chosen(.german))
            let (team, role) = try #require(try await app.stores.read { try $0.teams(of: anna.id) }.first)
            #expect(team.name == "Blue" && team.settings.timeZone == "Europe/Vienna" && role == .lead)
            #expect(team.settings.policy == .close)
            #expect(team.memberCount == 1 && anna.defaultTeamID == team.id)
            let steps = try await app.get("/admin", headers: [.cookie: cookie, .acceptLanguage: "de"]).text
            #expect(steps.contains("Erste Schritte für Blue") && steps.contains("0 von 3"))

            let again = try await app.post("/setup", form: form(token, ["username": "Eve", "email": "e@example.org"]))
            expectPage(again, 422, saying: "<h1>This link")
            #expect(try await app.stores.user(login: "eve") == nil)
            expectPage(try await app.get("/setup?token=\(token)"), 422, saying: "<h1>This link")
        }
    }

    @Test(arguments: [
        (["repeat": "another"], "repeat", "don’t match"),
        (["password": "short", "repeat": "short"], "password", "at least"),
        (["username": "a@b"], "username", "user name"), (["email": "nonsense"], "email", "e-mail address"),
        (["team": " "], "team", "team"), (["timeZone": "Vienna"], "zone", "time zone"),
    ])
    func `An invalid form comes back with the reason at its field`(
        changes: [String: String], field: String, reason: String
    ) async throws {
        try await TestApp.with { app in
            let token = try await token(in: app)
            let page = try await app.post("/setup", form: form(token, changes))
            let problem = try #require(page.text.firstMatch(of: /role="alert"><a href="#([^"]*)">([^<]*)/)?.output)
            #expect(problem.1 == field && problem.2.contains(reason), "\(problem)")
            #expect(page.text.contains(#" aria-invalid="true""#) && page.text.contains(#"id="\#(field)-problem">"#))
            for name in ["username", "email", "team", "timeZone"] {
                #expect(page.text.contains("value=\"\(changes[name] ?? Self.typed[name] ?? "")\""))
            }
            #expect(!page.text.contains(TestApp.password) && page.headers[.setCookie] == nil)
            #expect(try await app.stores.users(after: nil, limit: 1).isEmpty)
            #expect(try await app.post("/setup", form: form(token)).status == .seeOther, "the link is still valid")
        }
    }

    @Test func `A link is valid for a day, and only until the next one is printed`() async throws {
        try await TestApp.with { app in
            let first = try await token(in: app)
            let second = try await token(in: app)
            #expect(first != second && first.count == 43)
            for token in [first, "made-up", ""] {
                expectPage(try await app.get("/setup?token=\(token)"), 422)
                expectPage(try await app.post("/setup", form: form(token)), 422)
            }
            app.clock.advance(by: 86_399)
            expectPage(try await app.get("/setup?token=\(second)"))
            app.clock.advance(by: 1)
            expectPage(try await app.get("/setup?token=\(second)"), 422)
            #expect(try await app.stores.users(after: nil, limit: 1).isEmpty)
        }
    }

    /// Some people may have an account already: of the demo data, by a command, or through a provider.
    @Test func `The link works while there are accounts but no admin`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam("Blue", members: 2)
            let token = try await token(in: app)
            for (changes, field) in [
                (["username": "BLUE0"], "username"), (["email": team.lead.user.email], "email"),
                (["team": "blue"], "team"),
            ] {
                let refused = try await app.post("/setup", form: form(token, changes))
                #expect(refused.status == .conflict && refused.text.contains("<a href=\"#\(field)\">"), "\(field)")
            }
            let made = try await app.post("/setup", form: form(token, ["team": "Green"]))
            #expect(made.headers[.location] == "/admin")
            expectPage(try await app.get("/setup?token=\(token)"), 422)
        }
    }

    @Test func `No link works or is created while there is an admin`() async throws {
        try await TestApp.with { app in
            let token = try await token(in: app)
            _ = try await app.makeUser("root", role: .admin)
            expectPage(try await app.get("/setup?token=\(token)"), 422)
            expectPage(try await app.post("/setup", form: form(token)), 422)
            let setup = SetupService(
                stores: app.stores, hasher: try PasswordHasher(cost: PasswordHasher.costs.lowerBound),
                secret: TestTeam.secret, clock: app.clock.wall)
            #expect(try await setup.makeLink(publicURL: "http://localhost") == nil)
            #expect(try await app.stores.users(after: nil, limit: 10).map(\.name) == ["root"])
        }
    }

    @Test func `Of two who send the form at once, one becomes administrator`() async throws {
        try await TestApp.with { app in
            let token = try await token(in: app)
            let statuses = try await withThrowingTaskGroup { group in
                for name in ["anna", "eve"] {
                    group.addTask {
                        let fields = ["username": name, "email": "\(name)@example.org"]
                        return try await app.post("/setup", form: form(token, fields)).status.code
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [303, 422])
            #expect(try await app.stores.users(after: nil, limit: 10).count == 1)
        }
    }

    @Test func `No log line contains the token`() async throws {
        try await TestApp.with { app in
            let token = try await token(in: app)
            _ = try await app.get("/setup?token=\(token)")
            _ = try await app.post("/setup", form: form(token))
            #expect(app.log.text.contains("/setup") && !app.log.text.contains(token))
        }
    }
}
