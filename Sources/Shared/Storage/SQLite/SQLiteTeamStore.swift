import Foundation
import GRDB

/// Teams and memberships in the tables `teams` and `memberships`.
struct SQLiteTeamStore: TeamStore {
    let database: SQLiteDatabase

    func find(id: Team.ID) async throws -> Team? {
        try await database.read { db in
            try db.first("SELECT \(Team.columns) FROM teams WHERE id = ?", [id.description]) { try Team(&$0) }
        }
    }

    func find(name: String) async throws -> Team? {
        try await database.read { db in
            try db.first(
                "SELECT \(Team.columns) FROM teams WHERE nameFolded = ?", [UserName.folded(name)]
            ) { try Team(&$0) }
        }
    }

    func find(shareTokenHash: [UInt8]) async throws -> Team? {
        try await database.read { db in
            try db.first(
                "SELECT \(Team.columns) FROM teams WHERE shareTokenHash = ?", [Data(shareTokenHash)]
            ) { try Team(&$0) }
        }
    }

    func list(ids: [Team.ID]) async throws -> [Team] {
        let list = String(decoding: try JSONEncoder().encode(ids), as: UTF8.self)
        return try await database.read { db in
            try db.rows(
                "SELECT \(Team.columns) FROM teams WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", [list]
            ) { try Team(&$0) }
        }
    }

    func list(matching prefix: String?, after: String?, limit: Int) async throws -> [Team] {
        let prefix = TextPrefix(text: prefix ?? "")
        return try await database.read { db in
            try db.rows(
                // A single lower bound: with two, SQLite may choose either for the index.
                """
                SELECT \(Team.columns) FROM teams
                WHERE nameFolded >= max(:after, :prefix) AND nameFolded < :end AND nameFolded <> :after
                ORDER BY nameFolded LIMIT :limit
                """,
                ["after": after ?? "", "prefix": prefix.text, "end": prefix.end, "limit": limit]
            ) { try Team(&$0) }
        }
    }

    func list(after: Team.ID?, limit: Int) async throws -> [Team] {
        try await database.read { db in
            try db.rows(
                "SELECT \(Team.columns) FROM teams WHERE id > ? ORDER BY id LIMIT ?", [after?.description ?? "", limit]
            ) { try Team(&$0) }
        }
    }

    func insert(_ team: Team) async throws {
        let nameFolded = UserName.folded(team.name)
        let settings = team.settings
        try await database.write { db in
            guard try !db.contains("SELECT 1 FROM teams WHERE nameFolded = ?", [nameFolded]) else {
                throw AppError.teamNameTaken
            }
            try db.change(
                """
                INSERT INTO teams (
                    id, name, nameFolded, calendar, timeZone, threshold, policy, graceDays, feedbackReaders,
                    memberCount, publicationNumber, shareTokenHash
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    team.id.description, team.name, nameFolded, settings.calendar.description, settings.timeZone,
                    settings.threshold, settings.policy.rawValue, settings.graceDays,
                    settings.feedbackReaders.rawValue, team.memberCount, team.publicationNumber,
                    team.shareTokenHash.map { Data($0) },
                ])
        }
    }

    func update(id: Team.ID, _ rules: TeamRules, from present: TeamRules) async throws -> Bool {
        let folded = UserName.folded(rules.name)
        let settings = rules.settings
        return try await database.write { db in
            guard let team = try db.team(id: id.description) else { throw AppError.noSuchTeam }
            guard team.rules == present else { return false }
            let isTaken = try db.contains(
                "SELECT 1 FROM teams WHERE nameFolded = ? AND id <> ?", [folded, id.description])
            guard !isTaken else { throw AppError.teamNameTaken }
            try db.change(
                """
                UPDATE teams SET name = ?, nameFolded = ?, calendar = ?, timeZone = ?, threshold = ?, policy = ?,
                    graceDays = ?, feedbackReaders = ?, publicationNumber = publicationNumber + 1
                WHERE id = ?
                """,
                [
                    rules.name, folded, settings.calendar.description, settings.timeZone, settings.threshold,
                    settings.policy.rawValue, settings.graceDays, settings.feedbackReaders.rawValue, id.description,
                ])
            try db.changeThreshold(to: settings.threshold, in: id)
            return true
        }
    }

    func setShareTokenHash(id: Team.ID, _ hash: [UInt8]?) async throws {
        try await database.write { db in
            let changed = try db.change(
                "UPDATE teams SET shareTokenHash = ? WHERE id = ?", [hash.map { Data($0) }, id.description])
            guard changed == 1 else { throw AppError.noSuchTeam }
        }
    }

    func add(_ membership: Membership, secret: BallotSecret) async throws {
        try await database.write { try $0.add(membership, secret: secret) }
    }

    func setRole(
        _ role: Membership.Role, insteadOf old: Membership.Role, of userID: User.ID, in teamID: Team.ID,
        by caller: Caller
    ) async throws {
        let user = userID.description
        let team = teamID.description
        try await database.write { db in
            guard let present = try db.role(of: user, in: team) else { throw AppError.notInTeam }
            guard try present == old && db.isManager(caller, of: team) else { throw AppError.roleChanged }
            try db.change(
                "UPDATE memberships SET role = ? WHERE user = ? AND team = ?", [role.rawValue, user, team])
            if present == .lead { try db.refuseIfWithoutLead(team, .ofMembers) }
        }
    }

    func remove(userID: User.ID, from teamID: Team.ID, by caller: Caller) async throws {
        let user = userID.description
        let team = teamID.description
        try await database.write { db in
            guard let role = try db.role(of: user, in: team) else { throw AppError.notInTeam }
            guard try caller == .user(userID) || db.isManager(caller, of: team) else { throw AppError.roleChanged }
            try db.change("DELETE FROM memberships WHERE user = ? AND team = ?", [user, team])
            try db.releaseActions(of: user, in: team)
            if role == .lead { try db.refuseIfWithoutLead(team, KeptLead(removing: userID, by: caller)) }
            try db.change("UPDATE teams SET memberCount = memberCount - 1 WHERE id = ?", [team])
            try db.change(
                """
                UPDATE users SET defaultTeam = (
                    SELECT teams.id FROM memberships JOIN teams ON teams.id = memberships.team
                    WHERE memberships.user = users.id ORDER BY teams.nameFolded LIMIT 1
                ) WHERE id = ? AND defaultTeam = ?
                """,
                [user, team])
        }
    }

    func hasPast(_ id: Team.ID) async throws -> Bool {
        try await database.read { try $0.hasPast(id.description) }
    }

    func membership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership? {
        try await database.read { db in
            try db.first(
                "SELECT role FROM memberships WHERE user = ? AND team = ?", [userID.description, teamID.description]
            ) { Membership(teamID: teamID, userID: userID, role: try $0.named()) }
        }
    }

    func teams(of userID: User.ID) async throws -> [(team: Team, role: Membership.Role)] {
        try await database.read { db in
            try db.rows(
                """
                SELECT \(Team.columns), role FROM memberships JOIN teams ON teams.id = memberships.team
                WHERE memberships.user = ? ORDER BY teams.nameFolded
                """,
                [userID.description]
            ) { (team: try Team(&$0), role: try $0.named()) }
        }
    }

    func teamCounts(of userIDs: [User.ID]) async throws -> [User.ID: Int] {
        let list = String(decoding: try JSONEncoder().encode(userIDs), as: UTF8.self)
        return try await database.read { db in
            let counts = try db.rows(
                """
                SELECT user, count(*) FROM memberships WHERE user IN (SELECT value FROM json_each(?)) GROUP BY user
                """,
                [list]
            ) { (try $0.parsed(as: User.ID.self), $0.value(as: Int.self)) }
            return Dictionary(uniqueKeysWithValues: counts)
        }
    }

    func members(of teamID: Team.ID) async throws -> [Membership] {
        try await database.read { db in
            try db.rows(
                "SELECT user, role FROM memberships WHERE team = ? ORDER BY user", [teamID.description]
            ) { Membership(teamID: teamID, userID: try $0.parsed(), role: try $0.named()) }
        }
    }

    func memberIDs(
        of teamID: Team.ID, after: User.ID?, through: User.ID?, limit: Int
    ) async throws -> [User.ID] {
        try await database.read { db in
            try db.rows(
                """
                SELECT user FROM memberships WHERE team = ? AND user > ? AND user <= coalesce(?, 'g')
                ORDER BY user LIMIT ?
                """,
                // Ids consist of hexadecimal digits, which all sort before g.
                [teamID.description, after?.description ?? "", through?.description, limit]
            ) { try $0.parsed() }
        }
    }

    func memberIDs(of teamID: Team.ID, among userIDs: [User.ID]) async throws -> Set<User.ID> {
        let list = String(decoding: try JSONEncoder().encode(userIDs), as: UTF8.self)
        return try await database.read { db in
            Set(
                try db.rows(
                    "SELECT user FROM memberships WHERE team = ? AND user IN (SELECT value FROM json_each(?))",
                    [teamID.description, list]
                ) { try $0.parsed() })
        }
    }

    func publicationNumber(of teamID: Team.ID) async throws -> Int? {
        try await database.read { db in
            try db.first("SELECT publicationNumber FROM teams WHERE id = ?", [teamID.description]) { $0.value() }
        }
    }
}

extension Database {
    /// The team in the current transaction; `nil` if there is none.
    func team(id: String?) throws -> Team? {
        try first("SELECT \(Team.columns) FROM teams WHERE id = ?", [id]) { try Team(&$0) }
    }

    /// The user's role in the team; `nil` if they are not a member, or either does not exist.
    func role(of userID: String?, in teamID: String?) throws -> Membership.Role? {
        try first("SELECT role FROM memberships WHERE user = ? AND team = ?", [userID, teamID]) { try $0.named() }
    }

    /// Whether the caller manages the team at this moment.
    fileprivate func isManager(_ caller: Caller, of team: String) throws -> Bool {
        guard let userID = caller.userID?.description else { return true }
        return try role(of: userID, in: team) == .lead || user(id: userID)?.isActiveAdmin == true
    }

    /// For the end of a transaction, which the error rolls back.
    /// - Throws: `AppError.onlyLead` if the team no longer has the lead it must keep.
    fileprivate func refuseIfWithoutLead(_ team: String, _ kept: KeptLead) throws {
        guard kept != .nobody,
            try !contains("SELECT 1 FROM memberships WHERE team = ? AND role = 'lead'", [team])
        else { return }
        let isKept = try kept == .always || contains("SELECT 1 FROM memberships WHERE team = ?", [team])
        guard !isKept else { throw AppError.onlyLead }
    }

    /// `TeamStore.hasPast` in the current transaction.
    func hasPast(_ team: String?) throws -> Bool {
        try contains(
            """
            SELECT 1 FROM happiness WHERE team = ?1 AND (count > 0 OR isClosed = 1 AND eligible IS NOT 0)
            UNION ALL SELECT 1 FROM actions WHERE team = ?1 LIMIT 1
            """,
            [team])
    }

    /// Changes the threshold of the team's open sprints after the team's own was changed.
    fileprivate func changeThreshold(to wanted: Int, in teamID: Team.ID) throws {
        let open = try rows(
            "SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? AND isClosed = 0", [teamID.description]
        ) { try SprintRecord(&$0) }
        for record in open {
            let (threshold, raise) = record.changingThreshold(to: wanted)
            try change(
                """
                UPDATE happiness SET threshold = ?, raisedFrom = ?, raisedAtCount = ?, isRaiseSpent = ?
                WHERE team = ? AND sprintStart = ?
                """,
                [
                    threshold, raise.from, raise.ballots, raise.isSpent, teamID.description,
                    record.sprint.start.seconds,
                ])
        }
    }

    /// `TeamStore.add` in the current transaction.
    /// - Throws: as `TeamStore.add`.
    func add(_ membership: Membership, secret: BallotSecret) throws {
        let user = membership.userID.description
        let team = membership.teamID.description
        guard let account = try self.user(id: user) else { throw AppError.noSuchUser }
        guard try change("UPDATE teams SET memberCount = memberCount + 1 WHERE id = ?", [team]) == 1 else {
            throw AppError.noSuchTeam
        }
        let added = try change(
            "INSERT OR IGNORE INTO memberships (user, team, role) VALUES (?, ?, ?)",
            [user, team, membership.role.rawValue])
        guard added == 1 else { throw AppError.alreadyAMember }
        try change("UPDATE users SET defaultTeam = ? WHERE id = ? AND defaultTeam IS NULL", [team, user])
        try takeReceipts(of: account, in: membership.teamID, secret: secret)
        try change("UPDATE happiness SET joined = joined + 1 WHERE team = ? AND isClosed = 0", [team])
        try countPublication(of: membership.teamID)
    }

    /// Invalidates every cache of what the team's members may see.
    /// - Returns: whether the team exists.
    @discardableResult
    func countPublication(of teamID: Team.ID) throws -> Bool {
        try change(
            "UPDATE teams SET publicationNumber = publicationNumber + 1 WHERE id = ?", [teamID.description]) == 1
    }
}

extension Team {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = """
        teams.id, teams.name, calendar, timeZone, threshold, policy, graceDays, feedbackReaders, memberCount, \
        publicationNumber, shareTokenHash
        """

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            id: try row.parsed(), name: row.value(),
            settings: TeamSettings(
                calendar: try row.parsed(), timeZone: row.value(), threshold: row.value(), policy: try row.named(),
                graceDays: row.value(), feedbackReaders: try row.named()),
            memberCount: row.value(), publicationNumber: row.value(), shareTokenHash: row.optionalBytes())
    }
}
