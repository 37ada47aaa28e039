import Domain

struct ActionBoardPage: Page {
    static let template = "actions"

    /// The path of this page; the paths of its forms start with it.
    let address: SitePath
    /// The API path that the page's script uses to move cards.
    let api: SitePath
    /// Whether the viewer may add actions.
    let mayAdd: Bool
    /// Whether the viewer may change actions.
    let manages: Bool
    /// Whether the team has no actions.
    let isEmpty: Bool
    let columns: [Column]
    let done: String?
    let problem: FormProblem?

    /// The cards in one state.
    struct Column: Sendable {
        let state: String
        let title: String
        let count: Int
        /// Text of an empty column.
        let empty: String
        let cards: [Card]
        /// Says that not all cards are shown; `nil` if they are.
        let more: String?
    }

    struct Card: Sendable {
        let id: String
        let version: Int
        let address: SitePath
        let title: String
        let person: ActionUser?
        let due: String?
        let isOverdue: Bool
        let sprint: String
        let hasQuote: Bool
        /// Empty if the viewer may not move it.
        let moves: [ActionMove]
        let mayMove: Bool
        let support: ActionSupportLine
    }

}

extension ActionBoardPage {
    init(
        _ board: ActionBoard, people: [User.ID: ActionUser], team: Team, texts: ActionTexts, done: String?,
        problem: FormProblem?
    ) {
        let columns = board.columns.map { column in
            Column(
                state: column.state.rawValue, title: texts.title(of: column.state), count: column.actions.count,
                empty: texts.empty(column.state),
                cards: column.actions.map { action in
                    Card(
                        action, mayMove: board.reader.mayMove(action), people: people, supporters: board.supporters,
                        address: .action(action.id, of: team.id), texts: texts)
                },
                more: column.hasMore ? texts.words.text("actions.more", ["count": "\(column.actions.count)"]) : nil)
        }
        self.init(
            address: .actions(of: team.id), api: .actionList(of: team.id), mayAdd: board.reader.mayAdd,
            manages: board.reader.manages, isEmpty: board.columns.allSatisfy(\.actions.isEmpty), columns: columns,
            done: done, problem: problem)
    }
}

extension ActionBoardPage.Card {
    fileprivate init(
        _ action: Action, mayMove: Bool, people: [User.ID: ActionUser], supporters: ActionSupporters,
        address: SitePath, texts: ActionTexts
    ) {
        self.init(
            id: action.id.description, version: action.version, address: address, title: action.content.title,
            person: action.content.assignee.flatMap { people[$0] }, due: texts.due(action),
            isOverdue: texts.isOverdue(action), sprint: texts.sprint(action), hasQuote: action.content.quote != nil,
            moves: mayMove ? texts.moves(of: action) : [], mayMove: mayMove,
            support: texts.support(of: action, supporters))
    }
}
