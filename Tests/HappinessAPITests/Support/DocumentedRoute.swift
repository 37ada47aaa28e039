import HTTPTypes
import TestSupport
import Testing

@testable import HappinessAPI

/// A route of the server, and who may use it according to `x-callers` in `openapi.yaml`, or the column "who" in
/// `docs/pages.md`.
struct DocumentedRoute: Sendable, CustomStringConvertible {
    /// The words of `docs/pages.md`, which explains them.
    enum Callers: String, Sendable {
        case anyone, link, mail, user, member, lead, assignee, administrator
        /// Leads a team, whichever it is; only in `openapi.yaml`.
        case anyLead

        /// Those who need no login.
        static let open: Set<Callers> = [.anyone, .link, .mail]
    }

    let method: HTTPRequest.Method
    let path: String
    let callers: Set<Callers>
    let isPage: Bool

    var description: String { "\(method.rawValue) \(path)" }
    var isOpen: Bool { !callers.isDisjoint(with: Callers.open) }

    /// All routes of the router, in order of their paths.
    /// - Throws: an `ExpectationFailedError` if one has no entry, two, or one with an unknown word.
    static func all() async throws -> [DocumentedRoute] {
        let operations = try OpenAPITests.operations()
        let pages = try pageCallers()
        return try await OpenAPITests.routedOperations()
            .sorted { ($0.path, $0.method) < ($1.path, $1.method) }
            .map { operation in
                let ofAPI = operations[operation]
                let ofPage = pages["\(operation)"]
                try #require((ofAPI == nil) != (ofPage == nil), "\(operation) needs one statement of its callers")
                let callers: Set<Callers>
                if let ofPage {
                    callers = try Self.callers(listed: ofPage)
                } else {
                    let word = try #require(ofAPI?["x-callers"] as? String, "\(operation) has no x-callers")
                    callers = try Self.callers(named: word)
                }
                return DocumentedRoute(
                    method: try #require(HTTPRequest.Method(operation.method)), path: operation.path,
                    callers: callers, isPage: ofPage != nil)
            }
    }

    /// The words of a row's column "who".
    private static func callers(listed words: [String]) throws -> Set<Callers> {
        Set(try words.map { word in try #require(Callers(rawValue: word), "\(word) is none of the words for callers") })
    }

    /// The word of an operation's `x-callers`.
    private static func callers(named word: String) throws -> Set<Callers> {
        // `scripts/api-reference.py` has the same words.
        let known: [String: Set<Callers>] = [
            "anyone": [.anyone], "users": [.user], "members": [.member], "membersAndAdmins": [.member, .administrator],
            "leads": [.lead], "leadsAndAssignee": [.lead, .assignee], "leadsAndAdmins": [.lead, .administrator],
            "anyLeadsAndAdmins": [.anyLead, .administrator], "admins": [.administrator],
        ]
        return try #require(known[word], "\(word) is none of the words for callers")
    }

    /// The column "who" of each row, such as "| GET | `/login` | anyone | …".
    private static func pageCallers() throws -> [String: [String]] {
        let rows = try Repository.text("docs/pages.md").matches(of: /(?m)^\| ([A-Z]+) \| `([^`]+)` \| ([^|]+) \|/)
        return Dictionary(
            rows.map { row in
                ("\(row.output.1) \(row.output.2)", row.output.3.split(separator: ", ").map(String.init))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The path with these parameters; others get an id that nothing has.
    func path(with parameters: [String: String]) -> String {
        path.replacing(/{([^}]+)}/) { parameters[String($0.output.1)] ?? "00000000000000000000000000" }
    }
}
