import Domain
import GRDB

extension Database: ClientErrorRows, ClientErrorWrites {
    func record(_ report: ClientErrorReport, on day: CalendarDay, limit: Int) throws -> Bool {
        let id = report.groupID
        if let group = try clientError(id) {
            try replaceClientError(group.adding(report, on: day))
            return true
        }
        let count = try first("SELECT count(*) FROM clientErrors") { $0.value(as: Int.self) }
        guard count ?? 0 < limit else { return false }
        try replaceClientError(ClientErrorGroup(report, on: day))
        return true
    }

    func clientError(_ id: ClientErrorGroup.ID) throws -> ClientErrorGroup? {
        try first("SELECT \(ClientErrorGroup.columns) FROM clientErrors WHERE id = ?", [id.description]) {
            try ClientErrorGroup(&$0)
        }
    }

    func clientErrors(isResolved: Bool, limit: Int) throws -> [ClientErrorGroup] {
        try rows(
            """
            SELECT \(ClientErrorGroup.columns) FROM clientErrors WHERE isResolved = ?
            ORDER BY lastDay DESC, id LIMIT ?
            """,
            [isResolved, max(0, limit)]
        ) { try ClientErrorGroup(&$0) }
    }

    func resolveClientError(_ id: ClientErrorGroup.ID, _ isResolved: Bool) throws -> Bool {
        try change("UPDATE clientErrors SET isResolved = ? WHERE id = ?", [isResolved, id.description]) == 1
    }

    func deleteClientError(_ id: ClientErrorGroup.ID, seenBefore day: CalendarDay) throws -> Bool {
        try change(
            "DELETE FROM clientErrors WHERE id = ? AND lastDay < ?", [id.description, day.description]) == 1
    }

    func deleteClientErrors(unseenSince day: CalendarDay) throws {
        try change("DELETE FROM clientErrors WHERE lastDay < ?", [day.description])
    }
}

extension Database {
    private func replaceClientError(_ group: ClientErrorGroup) throws {
        try change(
            "INSERT OR REPLACE INTO clientErrors (\(ClientErrorGroup.columns)) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            [
                group.id.description, group.app.rawValue, group.level.rawValue, group.message,
                group.firstDay.description, group.lastDay.description, group.countBefore, group.countOnLastDay,
                group.versionLines, group.sample.stack, group.sample.version, group.sample.platform, group.tagLines,
                group.isResolved,
            ])
    }
}

extension ClientErrorGroup {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = """
        id, app, level, message, firstDay, lastDay, countBefore, countOnLastDay, versions, stack, version, platform, tags,
        isResolved
        """

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            id: try row.parsed(), app: try row.named(), level: try row.named(), message: row.value(),
            firstDay: try row.parsed(), lastDay: try row.parsed(), countBefore: row.value(),
            countOnLastDay: row.value(), versions: Self.versions(row.value()),
            sample: Sample(
                stack: row.value(), version: row.value(), platform: row.value(), tags: Self.tags(row.value())),
            isResolved: row.value())
    }
}
