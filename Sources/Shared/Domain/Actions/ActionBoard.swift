/// A team's actions as one of its members sees them.
package struct ActionBoard: Sendable {
    /// A state's actions.
    package struct Column: Sendable {
        /// The state that all its actions have.
        package let state: Action.State
        /// In the column's order.
        package let actions: [Action]
        /// Whether there are more actions than shown.
        package let hasMore: Bool

        /// A column as the store lists it.
        package init(state: Action.State, actions: [Action], hasMore: Bool) {
            self.state = state
            self.actions = actions
            self.hasMore = hasMore
        }
    }

    /// In the order of `Action.State.allCases`.
    package let columns: [Column]
    /// Of the actions in these columns.
    package let supporters: ActionSupporters
    /// The member who reads the board.
    package let reader: ActionReader

    /// A board as this reader sees it.
    package init(columns: [Column], supporters: ActionSupporters, reader: ActionReader) {
        self.columns = columns
        self.supporters = supporters
        self.reader = reader
    }
}

/// A member of a team, with the facts that decide what they may do with its actions.
package struct ActionReader: Sendable {
    package let membership: Membership
    /// Guests cannot see other people.
    package let isGuest: Bool
    /// Who may currently read the team's feedback.
    package let feedbackReaders: Team.FeedbackReaders
    /// Who may currently add actions.
    package let actionAuthors: Team.ActionAuthors

    /// Takes the facts as read from the store.
    package init(membership: Membership, isGuest: Bool, settings: TeamSettings) {
        self.membership = membership
        self.isGuest = isGuest
        feedbackReaders = settings.feedbackReaders
        actionAuthors = settings.actionAuthors
    }

    /// Whether they may change and delete actions, quote feedback in them, and assign them to anybody.
    package var manages: Bool { membership.role == .lead }

    /// Whether they may add actions. Of one that they add, members who are not leads can be the assignee, or nobody.
    package var mayAdd: Bool { manages || actionAuthors == .team }

    /// Whether they may move it to another column or place.
    package func mayMove(_ action: Action) -> Bool {
        manages || action.content.assignee == membership.userID
    }

    /// The part of an action they may read: a quote only if they could read its feedback, and guests see no assignee
    /// except themselves.
    package func view(of action: Action) -> Action {
        var view = action
        if !manages, action.content.quoteReaders == .leads || feedbackReaders == .leads { view.content.quote = nil }
        if isGuest, action.content.assignee != membership.userID { view.content.assignee = nil }
        return view
    }
}
