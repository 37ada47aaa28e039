import Foundation

/// That a member has said "me too" to an action: stored so that it counts once per person, and names nobody.
///
/// Without `BALLOT_SECRET` two marks do not show that they are of one person, not even in one team.
package struct ActionSupport: Hashable, Sendable {
    /// Bytes of a mark. A collision would take another person's word away: a team has too few people for that.
    package static let markLength = 16

    package let action: Action.ID
    /// `markLength` bytes, the same whenever the same person says it about the same action.
    package let mark: [UInt8]

    /// The beginning of `HMAC-SHA256(key, action | user)`, under a key of its own. Ids have a fixed length.
    package init(of action: Action.ID, by userID: User.ID, secret: BallotSecret) {
        let bytes = SecureBytes.hmac(Data("\(action)|\(userID)".utf8), key: secret.supportKey)
        self.action = action
        mark = Array(bytes.prefix(Self.markLength))
    }
}

/// How many members have said "me too" to some actions, and whether the reader is among them. It names nobody.
package struct ActionSupporters: Sendable {
    /// By action; one that nobody supports is missing.
    private let counts: [Action.ID: Int]
    /// The actions that the reader supports.
    private let own: Set<Action.ID>

    /// Takes the numbers as read from the store.
    package init(counts: [Action.ID: Int] = [:], own: Set<Action.ID> = []) {
        self.counts = counts
        self.own = own
    }

    /// Number of members who support an action.
    package func count(of id: Action.ID) -> Int { counts[id] ?? 0 }

    /// Whether the reader supports an action.
    package func isSupported(_ id: Action.ID) -> Bool { own.contains(id) }
}

extension Action {
    /// The one open action that a page or a mail names where it has room for one: the first in progress; if none is,
    /// the one to do that most members support, of equals the upper one; if there is none, the first on hold.
    /// - Parameter columns: the columns' beginnings, in the order of the board.
    package static func oneToShow(
        among columns: [State: [Action]], supporters: ActionSupporters
    ) -> Action? {
        if let begun = columns[.inProgress]?.first { return begun }
        let toDo = columns[.toDo] ?? []
        let most = toDo.map { supporters.count(of: $0.id) }.max() ?? 0
        return toDo.first { supporters.count(of: $0.id) == most } ?? columns[.onHold]?.first
    }
}
