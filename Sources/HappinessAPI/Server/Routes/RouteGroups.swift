import Hummingbird
import Services

/// A part of the product with all its routes: pages, the API, and the first clients' calls.
protocol Feature: Sendable {
    /// Adds the routes; called once for the server, and once for the list of methods that a 405 names.
    func addRoutes(to routes: RouteGroups)
}

/// Groups of routes. A group decides who may use its routes, and whether the session notes their use.
///
/// `openapi/openapi.yaml` describes the API's routes and `docs/pages.md` lists the others. A test compares both with
/// the router.
struct RouteGroups {
    typealias Group = RouterGroup<AppRequestContext>

    /// Everyone, without a login.
    let open: Group
    /// Forms of our pages, without a login; rejects forms from other sites.
    let ownForms: Group
    /// Pages for a browser that is logged in; others are sent to the login page.
    let pages: Group
    /// Pages that show results: the session does not note their use, for a visit would hint at a vote.
    let resultPages: Group
    /// The pages of a vote: as `resultPages`, and they do not prolong the login either.
    let votePages: Group
    /// `/api/v1` without a login.
    let openAPI: Group
    /// `/api/v1` for callers who are logged in.
    let api: Group
    /// `/api/v1` for administrators.
    let administratorAPI: Group
    /// `/api/v1` for leads of the team in the path, and administrators.
    let managerAPI: Group
    /// `/api/v1` for leads of any team, and administrators.
    let inviterAPI: Group
    /// `/api/v1` for callers who are logged in; the session does not note their use.
    let untracedAPI: Group
    /// `/api/v1` for everyone; a caller who is logged in is known, and the session does not note the use.
    let untracedOpenAPI: Group
    /// `/api/v1` for casting a ballot: as `untracedAPI`, and the session is looked up when the ballot is stored.
    let ballotAPI: Group
    /// The first clients' routes for callers who are logged in. Paths, fields and answers stay as they are.
    let classic: Group
    /// Like `classic`, but does not record a use of the session.
    let untracedClassic: Group

    /// - Parameter askToLogIn: the response to a browser that is not logged in.
    init(
        _ router: Router<AppRequestContext>, authenticator: Authenticator, roles: RoleCheck, browsers: BrowserSessions,
        publicURL: String, askToLogIn: @escaping @Sendable (Request) async throws -> Response
    ) {
        func browser(notesUse: Bool, renews: Bool) -> Group {
            router.group().add(
                middleware: BrowserMiddleware(
                    browsers: browsers, askToLogIn: askToLogIn, notesUse: notesUse, renews: renews))
        }
        func caller(
            _ group: Group, notesUse: Bool, checksSession: Bool = true, isOptional: Bool = false,
            browsers: BrowserSessions? = browsers
        ) -> Group {
            group.group().add(
                middleware: AuthenticationMiddleware(
                    authenticator: authenticator, notesUse: notesUse, checksSession: checksSession,
                    isOptional: isOptional, browsers: browsers))
        }
        func requiring(_ role: RoleMiddleware.Role, in group: Group) -> Group {
            group.group().add(middleware: RoleMiddleware(role: role, check: roles))
        }
        open = router.group()
        ownForms = router.group().add(middleware: SameOriginMiddleware(publicURL: publicURL))
        pages = browser(notesUse: true, renews: true)
        resultPages = browser(notesUse: false, renews: true)
        votePages = browser(notesUse: false, renews: false)
        openAPI = router.group("/api/v1")
        api = caller(openAPI, notesUse: true)
        administratorAPI = requiring(.administrator, in: api)
        managerAPI = requiring(.manager, in: api)
        inviterAPI = requiring(.inviter, in: api)
        untracedAPI = caller(openAPI, notesUse: false)
        untracedOpenAPI = caller(openAPI, notesUse: false, isOptional: true)
        ballotAPI = caller(openAPI, notesUse: false, checksSession: false)
        classic = caller(open, notesUse: true, browsers: nil)
        untracedClassic = caller(open, notesUse: false, browsers: nil)
    }
}
