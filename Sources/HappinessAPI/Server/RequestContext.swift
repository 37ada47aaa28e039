import Domain
import Hummingbird
import NIOCore
import Services
import Synchronization

/// Data that middleware and handlers share for one request.
struct AppRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The caller; set by `AuthenticationMiddleware`.
    var principal: Principal? { didSet { note.principal = principal } }
    /// The same for middleware around that one, which has a copy of this context from before.
    let note = CallerNote()
    /// Address of the peer: the client, or the last proxy in front of this server.
    let peerAddress: String?
    /// The connection, for responses without a fixed end.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peerAddress = source.channel.remoteAddress?.ipAddress
    }

    /// The caller, on a route with `AuthenticationMiddleware`.
    /// - Throws: `AppError.unauthenticated` if the route was added without it.
    func requirePrincipal() throws -> Principal {
        guard let principal else { throw AppError.notLoggedIn }
        return principal
    }
}

/// The caller of one request, once known: shared by all copies of its context.
final class CallerNote: Sendable {
    private let noted = Mutex<Principal?>(nil)

    var principal: Principal? {
        get { noted.withLock { $0 } }
        set { noted.withLock { $0 = newValue } }
    }
}

extension AppError {
    /// The token is missing or not valid.
    static let notLoggedIn = AppError(.unauthenticated, "Please log in.", reason: .notLoggedIn)
}

extension AppRequestContext {
    /// The team id in the path.
    /// - Throws: `AppError.notFound`, also for a malformed id.
    func teamID() throws -> Team.ID {
        guard let text = parameters.get("team"), let id = Team.ID(text) else { throw AppError.noSuchTeam }
        return id
    }

    /// An id in the path. A malformed one is treated as unknown, so that a caller without permission learns nothing from
    /// the shape of an id either.
    func pathID<Entity>(_ name: String) -> Identifier<Entity> {
        parameters.get(name).flatMap { Identifier<Entity>($0) } ?? .random()
    }

    /// The user id in the path.
    var userID: User.ID { pathID("user") }

    /// The sprint label in the path, `…/{year}/{number}`.
    /// - Throws: `AppError.notFound`.
    func sprintLabel() throws -> SprintLabel {
        guard let year = parameters.get("year"), let number = parameters.get("number"),
            let label = SprintLabel("\(year)/\(number)")
        else {
            throw AppError(.notFound, "There’s no such sprint. A sprint looks like 2026/3.", reason: .noSuchSprint)
        }
        return label
    }
}
