package import Domain
package import Storage

extension Store {
    /// Calls `body` for every team. Reads a page at a time, since there may be thousands.
    /// - Throws: `StorageError.unavailable`, `CancellationError`, and what `body` throws; the remaining teams are then
    ///   left out.
    package func visitTeams(_ body: (Team) async throws -> Void) async throws {
        try await visitTeamPages { page in
            for team in page {
                try Task.checkCancellation()
                try await body(team)
            }
        }
    }

    /// The same with one call for each page, for those who read more of many teams at once.
    package func visitTeamPages(_ body: ([Team]) async throws -> Void) async throws {
        let pageSize = 200
        var after: Team.ID?
        repeat {
            try Task.checkCancellation()
            let page = try await read { [after] in try $0.teams(after: after, limit: pageSize) }
            try await body(page)
            after = page.count < pageSize ? nil : page.last?.id
        } while after != nil
    }
}
