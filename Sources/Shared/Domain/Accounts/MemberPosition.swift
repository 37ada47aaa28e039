/// A position in a team's list of members: by case-folded shown name, then by id.
package struct MemberPosition: Hashable, Comparable, Sendable, LosslessStringConvertible {
    /// The case-folded shown name.
    package let name: String
    package let userID: User.ID

    /// For a store, which knows the folded name.
    package init(name: String, userID: User.ID) {
        self.name = name
        self.userID = userID
    }

    /// The position of a member.
    package init(_ user: User) {
        self.init(name: UserName.folded(user.shownName), userID: user.id)
    }

    /// Parses the result of `description`; returns `nil` for any other text.
    package init?(_ description: String) {
        let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let userID = User.ID(String(parts[0])) else { return nil }
        self.init(name: String(parts[1]), userID: userID)
    }

    /// An opaque cursor for the address of a page.
    package var description: String { "\(userID):\(name)" }

    package static func < (left: Self, right: Self) -> Bool {
        (left.name, left.userID) < (right.name, right.userID)
    }
}
