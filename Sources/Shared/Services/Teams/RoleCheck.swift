package import Domain
package import Storage

/// Whether a user may use a route at all. It is asked before the request's body is read, so that other users learn
/// nothing about what a valid body looks like. The service of the feature decides again, with what the body says.
package struct RoleCheck: Sendable {
    private let store: any Store

    /// Reads roles from the stores each time, so a change applies immediately.
    package init(stores: Stores) {
        store = stores.rows
    }

    /// Requires an administrator.
    /// - Throws: `AppError.forbidden`.
    package func requireAdmin(_ caller: Caller) async throws {
        try await store.requireAdmin(caller)
    }

    /// Requires a lead of the team, or an administrator.
    /// - Throws: `AppError`: `notFound` for a team the caller must not know of, `forbidden` for its other members.
    package func requireManager(_ caller: Caller, of teamID: Team.ID) async throws {
        try await store.requireManager(caller, of: teamID)
    }

    /// Requires a lead of any team, or an administrator: other people can invite nobody.
    /// - Throws: `AppError.forbidden`.
    package func requireInviter(_ caller: Caller) async throws {
        if case .user(let userID) = caller,
            try await store.read({ try $0.teams(of: userID) }).contains(where: { $0.role == .lead })
        {
            return
        }
        try await store.requireAdmin(caller)
    }
}
