import Hummingbird
import Services
import Synchronization

/// The API reference: pages made from `openapi.yaml`, one for each topic. Scripts on them send requests, with a token
/// that stays in the page, or as the user who is logged in to this browser.
struct APIReferenceController: Sendable {
    private let pages: PageRenderer
    private let browsers: BrowserSessions
    private let users: any UserStore
    private let reference: ReadAPIReference

    init(resources: Resources, pages: PageRenderer, browsers: BrowserSessions, users: any UserStore) {
        self.pages = pages
        self.browsers = browsers
        self.users = users
        reference = ReadAPIReference(resources: resources)
    }

    /// `GET /api/reference`: all operations.
    func index(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await show(request) { $0.topics.isEmpty ? nil : .everything }
    }

    /// `GET /api/reference/{topic}`
    func topic(_ request: Request, context: AppRequestContext) async throws -> Response {
        let slug = context.parameters.get("topic")
        return try await show(request) { $0.topics.first { $0.slug == slug }.map { .topic($0) } }
    }

    /// - Parameter choose: selects the page's content; `nil` if there is no such page.
    private func show(
        _ request: Request, _ choose: (APIReference) -> APIReferencePage.Part?
    ) async throws -> Response {
        let principal = try await browsers.principal(of: request, notesUse: false)
        var user: User?
        if let principal { user = try await users.find(id: principal.userID) }
        let frame = PageFrame(request, userLocale: user?.locale)
        return try await pages.answering(frame) {
            let reference = try reference.value()
            guard let part = choose(reference) else {
                throw AppError(.notFound, "There’s nothing at this address.", reason: "no-such-route")
            }
            var page = APIReferencePage(reference, part: part)
            if let principal, let user {
                page.formToken = browsers.formTokens.token(of: principal)
                page.userName = user.name
                page.teamID = user.defaultTeamID.map { "\($0)" }
            }
            return try pages.response(page, in: frame)
        }
    }
}

/// The reference, read from the document when it is first needed: most servers are never asked for it, and parsing
/// takes longer than the rest of the start.
private final class ReadAPIReference: Sendable {
    private let resources: Resources
    private let read = Mutex<APIReference?>(nil)

    init(resources: Resources) {
        self.resources = resources
    }

    /// - Throws: an error of the file system or the YAML parser.
    func value() throws -> APIReference {
        // Readers wait, so that the document is parsed once.
        try read.withLock { known in
            if let known { return known }
            let guide = try resources.text("templates/pages/api.html")
            let reasons = guide.matches(of: /<dt id="([a-z0-9-]+)">/).map { String($0.output.1) }
            let document = try OpenAPIDocument(yaml: try resources.text("openapi/openapi.yaml"))
            let made = APIReference(document, reasons: Set(reasons))
            known = made
            return made
        }
    }
}

/// A page of the API reference: all operations, or those of a topic in detail.
struct APIReferencePage: Page {
    static let template = "api-reference"

    enum Part {
        case everything
        case topic(APIReference.Topic)
    }

    let links: [TopicLink]
    /// All topics with their operations; empty on the page of one.
    let overview: [APIReference.Topic]
    let topic: APIReference.Topic?
    /// For changing requests of the user who is logged in to this browser; `nil` without a log-in.
    var formToken: String?
    /// `nil` without a log-in.
    var userName: String?
    /// The user's default team, for the parameter `team`.
    var teamID: String?

    struct TopicLink: Sendable {
        let address: String
        let name: String
        let isCurrent: Bool
    }

    init(_ reference: APIReference, part: Part) {
        switch part {
        case .everything:
            overview = reference.topics
            topic = nil
        case .topic(let shown):
            overview = []
            topic = shown
        }
        let slug = topic?.slug
        links = reference.topics.map { TopicLink(address: $0.address, name: $0.name, isCurrent: $0.slug == slug) }
    }
}
