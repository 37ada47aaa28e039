import Domain

/// Success messages of the board.
enum ActionNotice: String, FormNotice {
    case added = "actions.added"
    case changed = "actions.changed"
    case moved = "actions.moved"
    case deleted = "actions.deleted"
    case supported = "actions.supported"
    case withdrawn = "actions.withdrawn"

    func page(for visit: PageVisit) throws -> SitePath {
        .actions(of: try visit.visitedTeam().team.id)
    }
}
