import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import HappinessAPI

extension TestApp {
    /// A browser in which the user has logged in with the form.
    func browser(of user: User, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Browser {
        let response = try await post("/login", form: "username=\(user.name)&password=purple%20lamp%209")
        #expect(response.status == .seeOther, sourceLocation: sourceLocation)
        let cookie = try #require(response.headers[.setCookie], sourceLocation: sourceLocation)
        let token = try #require(cookie.split(separator: ";").first, sourceLocation: sourceLocation)
        return Browser(app: self, cookie: String(token))
    }
}

/// Sends what a browser sends: its cookie, and forms with the token of their page.
struct Browser: Sendable {
    let app: TestApp
    /// `NAME=VALUE`.
    let cookie: String

    func get(_ path: String) async throws -> TestResponse {
        try await app.get(path, headers: [.cookie: cookie, .acceptLanguage: "en"])
    }

    /// The token in the page's forms; empty if there is none.
    func formToken(on path: String) async throws -> String {
        let page = try await get(path).text
        return page.firstMatch(of: /name="formToken" value="([^"]*)"/).map { String($0.output.1) } ?? ""
    }

    /// Opens a page with a form that edits stored values.
    /// - Returns: the hidden fields that the form sends: the token, and the values it showed.
    func openedForm(on path: String) async throws -> String {
        openedForm(try await get(path))
    }

    /// The same for a page that is already open.
    func openedForm(_ page: TestResponse) -> String {
        let (token, seen) = (Self.hidden("formToken", in: page.text), Self.hidden("seen", in: page.text))
        return "formToken=\(token.formEncoded)&seen=\(seen.formEncoded)"
    }

    /// The value of a hidden field; empty if it is missing.
    private static func hidden(_ name: String, in page: String) -> String {
        guard let start = page.firstRange(of: "name=\"\(name)\" value=\"")?.upperBound else { return "" }
        var value = String(page[start...].prefix { $0 != "\"" })
        for (entity, character) in [("&quot;", "\""), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")] {
            value = value.replacing(entity, with: character)
        }
        return value
    }

    /// Sends a form with encoded fields.
    func post(_ path: String, form: String) async throws -> TestResponse {
        try await app.send(
            .post, path,
            headers: [
                .cookie: cookie, .acceptLanguage: "en", .contentType: "application/x-www-form-urlencoded",
                .secFetchSite: "same-origin",
            ], body: ByteBuffer(string: form))
    }

    /// Votes with a team's form of a plain ballot.
    func vote(in team: SignedInTeam, _ happiness: String, feedback: String = "") async throws -> TestResponse {
        let token = try await formToken(on: team.pagePath)
        return try await post(
            team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=\(happiness)&feedback=\(feedback)")
    }
}

extension SignedInTeam {
    /// Path of the live view.
    var pagePath: String { "/teams/\(id)" }
    var votePath: String { "\(pagePath)/vote" }
    /// Path of the form of a plain ballot.
    var plainVotePath: String { "\(votePath)/plain" }
}
