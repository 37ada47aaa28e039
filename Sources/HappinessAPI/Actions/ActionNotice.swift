import Domain

/// Success messages of the board.
enum ActionNotice: String, FormNotice {
    case added = "actions.added"
    case changed = "actions.changed"
    case moved = "actions.moved"
    case deleted = "actions.deleted"

    func page(for visit: PageVisit) throws -> SitePath {
        .actions(of: try visit.visitedTeam().team.id)
    }
}
