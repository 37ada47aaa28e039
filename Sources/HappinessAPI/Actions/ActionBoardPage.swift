import Shared

/// A team's board.
struct ActionBoardPage: Page {
    static let template = "actions"

    /// Of this page, below which its forms go.
    let address: String
    /// Where the module of this page moves cards.
    let api: String
    /// Whether the viewer makes and changes actions.
    let manages: Bool
    /// Whether there is none at all.
    let isEmpty: Bool
    let columns: [Column]
    let done: String?
    let problem: String?

    /// A state's cards.
    struct Column: Sendable {
        let state: String
        let title: String
        let count: Int
        /// What it says without a card.
        let empty: String
        let cards: [Card]
        /// That there are more than are shown; `nil` if these are all.
        let more: String?
    }

    /// An action.
    struct Card: Sendable {
        let id: String
        let version: Int
        let address: String
        let title: String
        let person: ActionPerson?
        let due: String?
        let isOverdue: Bool
        let sprint: String
        let hasQuote: Bool
        /// Empty for who may not move it.
        let moves: [ActionMove]
        let mayMove: Bool
    }

}

extension ActionBoardPage {
    init(
        _ board: ActionBoard, people: [User.ID: ActionPerson], team: Team, texts: ActionWords, done: String?,
        problem: String?
    ) {
        let path = ActionBoardPages.path(of: team.id)
        let columns = board.columns.map { column in
            Column(
                state: column.state.rawValue, title: texts.title(of: column.state), count: column.actions.count,
                empty: texts.empty(column.state),
                cards: column.actions.map { action in
                    Card(
                        action, mayMove: board.reader.mayMove(action), people: people,
                        address: ActionPages.path(of: action.id, in: team.id), texts: texts)
                },
                more: column.hasMore ? texts.words.text("actions.more", ["count": "\(column.actions.count)"]) : nil)
        }
        self.init(
            address: path, api: "/api/v1\(path)", manages: board.reader.manages,
            isEmpty: board.columns.allSatisfy(\.actions.isEmpty), columns: columns, done: done, problem: problem)
    }
}

extension ActionBoardPage.Card {
    fileprivate init(
        _ action: Action, mayMove: Bool, people: [User.ID: ActionPerson], address: String, texts: ActionWords
    ) {
        self.init(
            id: action.id.description, version: action.version, address: address, title: action.content.title,
            person: action.content.assignee.flatMap { people[$0] }, due: texts.due(action),
            isOverdue: texts.isOverdue(action), sprint: texts.sprint(action), hasQuote: action.content.quote != nil,
            moves: mayMove ? texts.moves(of: action) : [], mayMove: mayMove)
    }
}
