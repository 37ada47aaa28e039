import Services

/// Success messages of the board.
enum ActionNotice: String, FormNotice {
    case added
    case changed
    case moved
    case deleted

    func page(for visit: PageVisit) throws -> SitePath {
        .actions(of: try visit.visitedTeam().team.id)
    }

    func text(_ words: LocalizedTexts) -> String {
        switch self {
        case .added: words.text("actions.added")
        case .changed: words.text("actions.changed")
        case .moved: words.text("actions.moved")
        case .deleted: words.text("actions.deleted")
        }
    }
}
