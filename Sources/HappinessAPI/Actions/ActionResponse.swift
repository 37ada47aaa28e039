import Domain
import Foundation

/// A team's board.
struct ActionBoardResponse: Encodable {
    /// The actions in one state.
    struct Column: Encodable {
        let state: Action.State
        /// In the column's order.
        let actions: [ActionResponse]
        /// Whether there are more; only a long column of finished actions is cut.
        let hasMore: Bool
    }

    let columns: [Column]

    init(_ board: ActionBoard, people: [User.ID: User]) {
        columns = board.columns.map { column in
            Column(
                state: column.state,
                actions: column.actions.map { ActionResponse($0, people: people, supporters: board.supporters) },
                hasMore: column.hasMore)
        }
    }
}

/// An action as a member of its team sees it.
struct ActionResponse: Encodable {
    /// The person responsible for an action.
    struct Person: Encodable {
        let id: String
        let name: String
    }

    /// A sprint's name and start.
    struct Sprint: Encodable {
        let label: String
        let start: Date

        init(_ sprint: ActionSprint) {
            label = sprint.label.description
            start = sprint.start
        }
    }

    let id: String
    let title: String
    let notes: String
    /// A copy of the feedback that led to the action; null if there is none or the caller may not read it.
    @ExplicitNull var quote: String?
    let quoteReaders: Team.FeedbackReaders
    @ExplicitNull var assignee: Person?
    /// A day in the team's time zone.
    @ExplicitNull var due: CalendarDay?
    let state: Action.State
    let made: Sprint
    @ExplicitNull var began: Sprint?
    let version: Int
    /// How many members say "me too".
    let supporters: Int
    /// Whether the caller is one of them.
    let isSupported: Bool

    init(_ action: Action, people: [User.ID: User], supporters: ActionSupporters) {
        id = action.id.description
        title = action.content.title
        notes = action.content.notes
        quote = action.content.quote
        quoteReaders = action.content.quoteReaders
        assignee = action.content.assignee.flatMap { people[$0] }
            .map { Person(id: $0.id.description, name: $0.name) }
        due = action.content.due
        state = action.state
        made = Sprint(action.made)
        began = action.began.map { Sprint($0) }
        version = action.version
        self.supporters = supporters.count(of: action.id)
        isSupported = supporters.isSupported(action.id)
    }
}
