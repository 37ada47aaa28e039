/// A team's actions as one of its members sees them.
public struct ActionBoard: Sendable {
    /// A state's actions.
    public struct Column: Sendable {
        /// The state that all its actions have.
        public let state: Action.State
        /// In the column's order.
        public let actions: [Action]
        /// Whether there are more actions than shown.
        public let hasMore: Bool
    }

    /// In the order of `Action.State.allCases`.
    public let columns: [Column]
    /// The member who reads the board.
    public let reader: ActionReader
}

/// A member of a team, with the facts that decide what they may do with its actions.
public struct ActionReader: Sendable {
    /// Their membership.
    public let membership: Membership
    /// Guests cannot see other people.
    let isGuest: Bool
    /// Who may currently read the team's feedback.
    public let feedbackReaders: Team.FeedbackReaders

    /// Takes the facts as read from the store.
    public init(membership: Membership, isGuest: Bool, feedbackReaders: Team.FeedbackReaders) {
        self.membership = membership
        self.isGuest = isGuest
        self.feedbackReaders = feedbackReaders
    }

    /// Whether they may create, change and delete actions.
    public var manages: Bool { membership.role == .lead }

    /// Whether they may move it to another column or place.
    public func mayMove(_ action: Action) -> Bool {
        manages || action.content.assignee == membership.userID
    }

    /// The part of an action they may read: a quote only if they could read its feedback, and guests see no assignee
    /// except themselves.
    func view(of action: Action) -> Action {
        var view = action
        if !manages, action.content.quoteReaders == .leads || feedbackReaders == .leads { view.content.quote = nil }
        if isGuest, action.content.assignee != membership.userID { view.content.assignee = nil }
        return view
    }
}
