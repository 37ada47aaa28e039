import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Who may use which route: every route of the router, as the documents say, for every kind of caller.
@Suite struct RouteAccessTests {
    private enum Kind: String, CaseIterable, Sendable {
        case anonymous
        /// In no team.
        case guest
        /// Leads another team.
        case outsider
        case member
        /// A member to whom the action is assigned.
        case assignee
        case lead
        /// In no team.
        case administrator

        var words: Set<DocumentedRoute.Callers> {
            switch self {
            case .anonymous: []
            case .guest: [.user]
            case .outsider: [.user, .anyLead]
            case .member: [.user, .member]
            case .assignee: [.user, .member, .assignee]
            case .lead: [.user, .member, .lead, .anyLead]
            case .administrator: [.user, .administrator]
            }
        }

        var isInTeam: Bool { words.contains(.member) }

        func may(use route: DocumentedRoute) -> Bool {
            route.isOpen || !words.isDisjoint(with: route.callers)
        }
    }

    @Test func `Callers without the right to a route are refused, whatever they send`() async throws {
        let routes = try await DocumentedRoute.all()
        try await TestApp.with { app in
            let world = try await World(app, number: 0)
            for kind in Kind.allCases {
                let logIn = try await world.logIn(kind)
                for route in routes where !kind.may(use: route) {
                    let response = try await world.send(route, by: logIn, isReadable: false)
                    let expected = Self.denial(of: route, for: kind)
                    #expect(expected.contains(response.status.code), "\(route) by \(kind): \(response.status.code)")
                    if response.status == .seeOther {
                        let place = response.headers[.location] ?? ""
                        #expect(place.hasPrefix("/login"), "\(route) by \(kind) leads to \(place)")
                    }
                }
            }
            // Nothing of it had an effect.
            let members = try await app.stores.members(of: world.team.id)
            #expect(members.count == 4 && members.count(where: { $0.role == .lead }) == 1)
            #expect(try await app.stores.user(world.team.members[3].user.id)?.role == .member)
            #expect(try await app.tally(of: world.team)?.count ?? 0 == 0)
        }
    }

    @Test func `Callers with the right to read a route are not refused`() async throws {
        let routes = try await DocumentedRoute.all()
        try await TestApp.with { app in
            let world = try await World(app, number: 0)
            for kind in Kind.allCases {
                let logIn = try await world.logIn(kind)
                for route in routes where route.method == .get && Self.isTried(route, by: kind) {
                    let response = try await world.send(route, by: logIn)
                    #expect(
                        !Self.isRejection(response, of: route, in: world), "\(route) by \(kind): \(response.classic)")
                }
            }
        }
    }

    /// Each route in a team of its own, for many of them end a login, a membership or an account.
    @Test(.thorough) func `Callers with the right to a route that changes something are not refused`() async throws {
        let routes = try await DocumentedRoute.all().filter { $0.method != .get }
        try await TestApp.with { app in
            for (number, route) in routes.enumerated() {
                let world = try await World(app, number: number)
                for kind in Kind.allCases where Self.isTried(route, by: kind) {
                    let response = try await world.send(route, by: try await world.logIn(kind))
                    #expect(
                        !Self.isRejection(response, of: route, in: world), "\(route) by \(kind): \(response.classic)")
                }
            }
        }
    }

    @Test func `Operations without a log-in say so twice`() throws {
        for (operation, object) in try OpenAPITests.operations() {
            let needsNone = (object["security"] as? [Any])?.isEmpty == true
            #expect(needsNone == (object["x-callers"] as? String == "anyone"), "\(operation)")
        }
    }

    /// The statuses of a rejection.
    private static func denial(of route: DocumentedRoute, for kind: Kind) -> Set<Int> {
        // A form that has text is kept, and says that its sender must log in.
        if kind == .anonymous { return route.isPage ? [303, 401] : [401] }
        // Pages for administrators do not exist for others.
        if route.callers == [.administrator] { return [route.isPage ? 404 : 403] }
        guard route.path.contains("{team}") else { return [403, 404] }
        // Neither do teams for people who are not in them.
        return [kind.isInTeam ? 403 : 404]
    }

    /// Callers who are logged in have no reason to use open routes, and some reject them.
    private static func isTried(_ route: DocumentedRoute, by kind: Kind) -> Bool {
        guard kind.may(use: route), route.isOpen == (kind == .anonymous) else { return false }
        // The answer does not end.
        if route.path == "/api/v1/teams/{team}/events" { return false }
        // Rejected for its content: the form in it is another user's.
        return "\(route)" != "POST /kept-form"
    }

    /// Whether an answer says that the caller may not use the route; rejections of what they sent are none.
    private static func isRejection(_ response: TestResponse, of route: DocumentedRoute, in world: World) -> Bool {
        let code = response.status.code
        guard route.isPage else {
            guard let reason = (response.object["type"] as? String)?.split(separator: "#").last else {
                // The first clients' routes give no reason. Without a login, 401 means a wrong password.
                return !route.isOpen && code == 401
            }
            return ["not-logged-in", "session-ended", "not-allowed", "leads-only", "no-such-team"].contains(reason)
        }
        let place = response.status == .seeOther ? response.headers[.location] ?? "" : ""
        if place.hasPrefix("/login?next=") { return true }
        if route.isOpen { return false }
        if [401, 403].contains(code) { return true }
        // Otherwise the 404 may be that of a parameter that nothing has.
        return code == 404 && world.hasEverything(in: route)
    }

    /// What a caller sends to show who they are.
    private struct Login: Sendable {
        var token: String?
        var cookie: String?
        var formToken = ""
    }

    /// A team with everything that paths name, and callers of all kinds.
    private struct World: Sendable {
        let app: TestApp
        let team: SignedInTeam
        private let users: [Kind: User]
        private let parameters: [String: String]

        /// - Parameter number: another one for each world of an app.
        init(_ app: TestApp, number: Int) async throws {
            self.app = app
            let made = try await app.makeTeam("Team\(number)x", members: 4)
            team = made
            let other = try await app.makeTeam("Other\(number)x")
            users = [
                .guest: try await app.makeUser("guest\(number)x", role: .guest), .outsider: other.lead.user,
                .member: made.members[1].user, .assignee: made.members[2].user, .lead: made.lead.user,
                .administrator: try await app.makeUser("admin\(number)x", role: .admin),
            ]
            let action = try await app.post(
                "\(made.path)/actions", token: made.lead.token,
                json: #"{"title":"Less noise","assignee":"\#(made.members[2].user.id)"}"#)
            let invitation = try await app.post(
                "/api/v1/invitations", token: made.lead.token,
                json: #"{"email":"new\#(number)@example.org","team":"\#(made.id)"}"#)
            let invited = try #require(invitation.object["invitation"] as? [String: Any])
            parameters = [
                "team": made.id.description, "user": made.members[3].user.id.description,
                "action": try #require(action.object["id"] as? String),
                "invitation": try #require(invited["id"] as? String), "year": "2026", "number": "2",
                "language": "en",
            ]
        }

        /// Whether each parameter of a path names something that exists.
        func hasEverything(in route: DocumentedRoute) -> Bool {
            route.path.matches(of: /{([^}]+)}/).allSatisfy { parameters[String($0.output.1)] != nil }
        }

        func logIn(_ kind: Kind) async throws -> Login {
            guard let user = users[kind] else { return Login() }
            let browser = try await app.browser(of: user)
            let formToken = try await browser.formToken(on: "/settings/name")
            try #require(!formToken.isEmpty)
            return Login(token: try await app.token(of: user), cookie: browser.cookie, formToken: formToken)
        }

        /// Sends a body that is decoded, where that matters for pages, and is incomplete for the API.
        /// - Parameter isReadable: false for a body of the API that is neither JSON nor says so.
        func send(_ route: DocumentedRoute, by logIn: Login, isReadable: Bool = true) async throws -> TestResponse {
            let path = route.path(with: parameters) + query(of: route)
            guard route.isPage else {
                let isRead = route.method == .get
                return try await app.send(
                    route.method, path, token: logIn.token,
                    headers: isRead ? [:] : [.contentType: isReadable ? "application/json" : "text/plain"],
                    body: isRead ? nil : ByteBuffer(string: isReadable ? "{}" : "{"))
            }
            var headers: HTTPFields = [.secFetchSite: "same-origin", .acceptLanguage: "en"]
            headers[.cookie] = logIn.cookie
            guard route.method == .post else { return try await app.send(route.method, path, headers: headers) }
            let hasFile = ["/settings/picture", "/admin/invitations/import"].contains(route.path)
            headers[.contentType] = hasFile ? "multipart/form-data; boundary=x" : "application/x-www-form-urlencoded"
            let form =
                hasFile
                ? "--x\r\nContent-Disposition: form-data; name=\"formToken\"\r\n\r\n\(logIn.formToken)\r\n--x--\r\n"
                : "formToken=\(logIn.formToken)&title=Less+noise&notes=&version=1&state=done&kept=x"
                    + "&current=purple+lamp+9&password=purple+lamp+9"
            return try await app.send(.post, path, headers: headers, body: ByteBuffer(string: form))
        }

        private func query(of route: DocumentedRoute) -> String {
            switch "\(route)" {
            case "GET /api/v1/invitations": "?team=\(team.id)"
            case "GET /happiness/hasVoted": "?sprint=2026/2"
            case "DELETE /api/v1/teams/{team}/actions/{action}": "?version=1"
            default: ""
            }
        }
    }
}
