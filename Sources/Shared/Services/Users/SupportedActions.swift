import Domain
import Storage

/// What one person supports, in all teams. The store cannot look that up: each action is asked for the person's mark.
extension Store {
    /// The person's marks, in the order of the actions. They may have left some of these teams.
    /// - Complexity: two reads for every 500 actions of the installation that someone supports.
    func supportMarks(by userID: User.ID, secret: BallotSecret) async throws -> [ActionSupport] {
        let page = 500
        var found: [ActionSupport] = []
        var last: Action.ID?
        while true {
            let after = last
            let ids = try await read { try $0.supportedActions(after: after, limit: page) }
            guard let end = ids.last else { return found }
            let marks = ids.map { ActionSupport(of: $0, by: userID, secret: secret) }
            let own = try await read { try $0.supported(among: marks) }
            found += marks.filter { own.contains($0.action) }
            last = end
        }
    }

    /// Removes all of them. A repetition removes what is left.
    func removeSupport(by userID: User.ID, secret: BallotSecret) async throws {
        for support in try await supportMarks(by: userID, secret: secret) {
            try await transaction { try $0.delete(support) }
        }
    }
}
