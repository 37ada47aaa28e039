import Hummingbird
import NIOCore
import Shared

/// What travels with one request through middleware and handlers.
struct AppRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who is asking; set by `AuthenticationMiddleware` on the routes behind it.
    var principal: Principal?
    /// Address of the other end of the connection, of the last proxy if there is one.
    let peerAddress: String?
    /// The connection, for answers that go on until somebody ends them.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peerAddress = source.channel.remoteAddress?.ipAddress
    }

    /// Who is asking, on a route behind `AuthenticationMiddleware`.
    /// - Throws: `AppError.unauthenticated` should the route have been put in front of it.
    func requirePrincipal() throws -> Principal {
        guard let principal else { throw AppError.notLoggedIn }
        return principal
    }
}

extension AppError {
    /// No token, or none that counts.
    static let notLoggedIn = AppError(.unauthenticated, "Please log in.", reason: "not-logged-in")
}

extension AppRequestContext {
    /// A team's id in the path.
    /// - Throws: `AppError.notFound`: an id that cannot exist is a team that is not there.
    func teamID() throws -> Team.ID {
        guard let text = parameters.get("team"), let id = Team.ID(text) else { throw AppError.noSuchTeam }
        return id
    }

    /// A sprint's label in the path, `…/{year}/{number}`.
    /// - Throws: `AppError.notFound`.
    func sprintLabel() throws -> SprintLabel {
        guard let year = parameters.get("year"), let number = parameters.get("number"),
            let label = SprintLabel("\(year)/\(number)")
        else {
            throw AppError(.notFound, "There is no such sprint. A sprint looks like 2026/3.", reason: "no-such-sprint")
        }
        return label
    }
}
