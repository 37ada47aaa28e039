/// A team's actions as one of its members sees them.
public struct ActionBoard: Sendable {
    /// A state's actions.
    public struct Column: Sendable {
        /// Which one.
        public let state: Action.State
        /// In the column's order.
        public let actions: [Action]
        /// Whether there are more than are shown.
        public let hasMore: Bool
    }

    /// In the order of `Action.State.allCases`.
    public let columns: [Column]
    /// Who looks at it.
    public let reader: ActionReader
}

/// A member of a team, as the rules of its actions see them.
public struct ActionReader: Sendable {
    /// Their membership.
    public let membership: Membership
    /// Guests see nobody else.
    let isGuest: Bool
    /// Who reads the team's feedback by now.
    public let feedbackReaders: Team.FeedbackReaders

    /// A member by what counts.
    public init(membership: Membership, isGuest: Bool, feedbackReaders: Team.FeedbackReaders) {
        self.membership = membership
        self.isGuest = isGuest
        self.feedbackReaders = feedbackReaders
    }

    /// Whether they make, change and delete actions.
    public var manages: Bool { membership.role == .lead }

    /// Whether they may put it into another column or place.
    public func mayMove(_ action: Action) -> Bool {
        manages || action.content.assignee == membership.userID
    }

    /// What they may read of an action: a quote only where they could read its feedback, and of people a guest only
    /// themselves.
    func view(of action: Action) -> Action {
        var view = action
        if !manages, action.content.quoteReaders == .leads || feedbackReaders == .leads { view.content.quote = nil }
        if isGuest, action.content.assignee != membership.userID { view.content.assignee = nil }
        return view
    }
}
