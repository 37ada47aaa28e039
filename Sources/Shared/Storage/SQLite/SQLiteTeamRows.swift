import Domain
import Foundation
import GRDB

extension Database: TeamRows, TeamWrites {
    func team(_ id: Team.ID) throws -> Team? {
        try first("SELECT \(Team.columns) FROM teams WHERE id = ?", [id.description]) { try Team(&$0) }
    }

    func team(name: String) throws -> Team? {
        try first("SELECT \(Team.columns) FROM teams WHERE foldedName = ?", [UserName.folded(name)]) { try Team(&$0) }
    }

    func hasPast(_ teamID: Team.ID) throws -> Bool {
        try contains(
            """
            SELECT 1 FROM happiness WHERE team = ?1 AND (count > 0 OR isClosed = 1 AND eligible IS NOT 0)
            UNION ALL SELECT 1 FROM actions WHERE team = ?1 LIMIT 1
            """,
            [teamID.description])
    }

    func membership(of userID: User.ID, in teamID: Team.ID) throws -> Membership? {
        try first(
            "SELECT role FROM memberships WHERE user = ? AND team = ?", [userID.description, teamID.description]
        ) { Membership(teamID: teamID, userID: userID, role: try $0.named()) }
    }

    func memberships(of userID: User.ID) throws -> [Membership] {
        try rows("SELECT team, role FROM memberships WHERE user = ?", [userID.description]) {
            Membership(teamID: try $0.parsed(), userID: userID, role: try $0.named())
        }
    }

    func hasMember(of teamID: Team.ID, role: Membership.Role?) throws -> Bool {
        try contains(
            "SELECT 1 FROM memberships WHERE team = ?1 AND role = coalesce(?2, role)",
            [teamID.description, role?.rawValue])
    }

    func team(shareTokenHash: [UInt8]) throws -> Team? {
        try first(
            "SELECT \(Team.columns) FROM teams WHERE shareTokenHash = ?", [Data(shareTokenHash)]
        ) { try Team(&$0) }
    }

    func teams(_ ids: [Team.ID]) throws -> [Team] {
        let list = try idList(ids)
        return try rows(
            "SELECT \(Team.columns) FROM teams WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", [list]
        ) { try Team(&$0) }
    }

    func teams(matching search: NameSearch?, after: String?, limit: Int) throws -> [Team] {
        guard let search else {
            return try rows(
                "SELECT \(Team.columns) FROM teams WHERE foldedName > ? ORDER BY foldedName LIMIT ?",
                [after ?? "", limit]
            ) { try Team(&$0) }
        }
        let page: SQLiteArguments = ["after": after ?? "", "limit": limit]
        return try rows(
            """
            SELECT \(Team.columns) FROM teams WHERE id IN (
                SELECT id FROM teams INDEXED BY teamsBySearch
                WHERE foldedName > :after AND \(search.condition(on: "searchText"))
                ORDER BY foldedName LIMIT :limit
            )
            ORDER BY +foldedName
            """,
            page + search.arguments
        ) { try Team(&$0) }
    }

    func teams(after: Team.ID?, limit: Int) throws -> [Team] {
        try rows(
            "SELECT \(Team.columns) FROM teams WHERE id > ? ORDER BY id LIMIT ?", [after?.description ?? "", limit]
        ) { try Team(&$0) }
    }

    func teams(of userID: User.ID) throws -> [(team: Team, role: Membership.Role)] {
        try rows(
            """
            SELECT \(Team.columns), role FROM memberships JOIN teams ON teams.id = memberships.team
            WHERE memberships.user = ? ORDER BY teams.foldedName
            """,
            [userID.description]
        ) { (team: try Team(&$0), role: try $0.named()) }
    }

    func teamCounts(of userIDs: [User.ID]) throws -> [User.ID: Int] {
        try counts(
            """
            SELECT user, count(*) FROM memberships WHERE user IN (SELECT value FROM json_each(?)) GROUP BY user
            """,
            of: userIDs)
    }

    func members(of teamID: Team.ID) throws -> [Membership] {
        try rows(
            "SELECT user, role FROM memberships WHERE team = ? ORDER BY user", [teamID.description]
        ) { Membership(teamID: teamID, userID: try $0.parsed(), role: try $0.named()) }
    }

    func members(of teamID: Team.ID, after: User.ID?, limit: Int) throws -> [Membership] {
        try rows(
            "SELECT user, role FROM memberships WHERE team = ? AND user > ? ORDER BY user LIMIT ?",
            [teamID.description, after?.description ?? "", limit]
        ) { Membership(teamID: teamID, userID: try $0.parsed(), role: try $0.named()) }
    }

    func members(
        of teamID: Team.ID, matching search: NameSearch?, after: MemberPosition?, limit: Int
    ) throws -> [(user: User, role: Membership.Role)] {
        // Of the names alone: the stored search text has the address, too.
        let names = search == nil ? "''" : "searchText(users.foldedName, users.displayName)"
        let isFound = search.map { " AND \($0.condition(on: "names"))" } ?? ""
        var arguments: SQLiteArguments = [
            "team": teamID.description, "shown": after?.name ?? "", "user": after?.userID.description ?? "",
            "limit": limit,
        ]
        if let search { arguments += search.arguments }
        let page = try rows(
            // Materialized, so that a name is folded once.
            """
            WITH people AS MATERIALIZED (
                SELECT memberships.user AS user, memberships.role AS role,
                    CASE WHEN users.displayName IS NULL THEN users.foldedName ELSE folded(users.displayName) END
                        AS shown,
                    \(names) AS names
                FROM memberships JOIN users ON users.id = memberships.user
                WHERE memberships.team = :team
            )
            SELECT user, role FROM people
            WHERE (shown, user) > (:shown, :user)\(isFound)
            ORDER BY shown, user LIMIT :limit
            """,
            arguments
        ) { (userID: try $0.parsed(as: User.ID.self), role: try $0.named(as: Membership.Role.self)) }
        return try page.compactMap { member in
            try user(member.userID).map { (user: $0, role: member.role) }
        }
    }

    func memberIDs(
        of teamID: Team.ID, after: User.ID?, through: User.ID?, limit: Int
    ) throws -> [User.ID] {
        try rows(
            """
            SELECT user FROM memberships WHERE team = ? AND user > ? AND user <= coalesce(?, 'g')
            ORDER BY user LIMIT ?
            """,
            // Ids consist of hexadecimal digits, which all sort before g.
            [teamID.description, after?.description ?? "", through?.description, limit]
        ) { try $0.parsed() }
    }

    func memberIDs(of teamID: Team.ID, among userIDs: [User.ID]) throws -> Set<User.ID> {
        let list = try idList(userIDs)
        return Set(
            try rows(
                "SELECT user FROM memberships WHERE team = ? AND user IN (SELECT value FROM json_each(?))",
                [teamID.description, list]
            ) { try $0.parsed() })
    }

    /// Nothing remains: foreign keys require that everything is deleted with the team.
    func purgeDeletedTeam(of teamID: Team.ID) {}

    func publicationNumber(of teamID: Team.ID) throws -> Int? {
        try first("SELECT publicationNumber FROM teams WHERE id = ?", [teamID.description]) { $0.value() }
    }
}

extension Database: TeamChanges {
    /// Nothing to do: SQLite has one writer, so transactions follow each other.
    func lock(_ teamID: Team.ID) throws -> Bool {
        try contains("SELECT 1 FROM teams WHERE id = ?", [teamID.description])
    }

    func insert(_ team: Team) throws {
        try change(
            """
            INSERT INTO teams (
                id, name, foldedName, calendar, timeZone, threshold, policy, graceDays, feedbackReaders,
                ballots, actionAuthors, shareTokenHash, memberCount, publicationNumber, searchText
            ) VALUES (
                :id, :name, :foldedName, :calendar, :timeZone, :threshold, :policy, :graceDays, :feedbackReaders,
                :ballots, :actionAuthors, :shareTokenHash, :memberCount, :publicationNumber, :searchText
            )
            """,
            team.arguments + ["memberCount": team.memberCount, "publicationNumber": team.publicationNumber])
    }

    func update(_ team: Team) throws {
        try change(
            """
            UPDATE teams SET name = :name, foldedName = :foldedName, calendar = :calendar, timeZone = :timeZone,
                threshold = :threshold, policy = :policy, graceDays = :graceDays, feedbackReaders = :feedbackReaders,
                ballots = :ballots, actionAuthors = :actionAuthors, shareTokenHash = :shareTokenHash,
                searchText = :searchText
            WHERE id = :id
            """,
            team.arguments)
    }

    func delete(_ team: Team) throws {
        let id: SQLiteArguments = [team.id.description]
        // Of a user who has left the team at this moment.
        try change("UPDATE users SET defaultTeam = NULL WHERE defaultTeam = ?", id)
        try change("DELETE FROM deliveryBatches WHERE delivery IN (SELECT id FROM deliveries WHERE team = ?)", id)
        for table in [
            "deliveries", "reminderExperiments", "actions", "feedback", "userSprints", "spentPapers", "commitments",
            "ballotKeys", "happiness", "invitations",
        ] {
            try change("DELETE FROM \(table) WHERE team = ?", id)
        }
        try change("DELETE FROM teams WHERE id = ?", id)
    }

    func changeMemberCount(of teamID: Team.ID, by number: Int) throws -> Bool {
        try change("UPDATE teams SET memberCount = memberCount + ? WHERE id = ?", [number, teamID.description]) == 1
    }

    @discardableResult
    func countPublication(of teamID: Team.ID) throws -> Bool {
        try change(
            "UPDATE teams SET publicationNumber = publicationNumber + 1 WHERE id = ?", [teamID.description]) == 1
    }

    func insert(_ membership: Membership) throws {
        try change(
            "INSERT INTO memberships (user, team, role) VALUES (?, ?, ?)",
            [membership.userID.description, membership.teamID.description, membership.role.rawValue])
    }

    func update(_ membership: Membership) throws {
        try change(
            "UPDATE memberships SET role = ? WHERE user = ? AND team = ?",
            [membership.role.rawValue, membership.userID.description, membership.teamID.description])
    }

    func delete(_ membership: Membership) throws {
        try change(
            "DELETE FROM memberships WHERE user = ? AND team = ?",
            [membership.userID.description, membership.teamID.description])
    }
}

extension Team {
    /// The values that a change of the team replaces, and the id.
    fileprivate var arguments: SQLiteArguments {
        [
            "id": id.description, "name": name, "foldedName": UserName.folded(name),
            "calendar": settings.calendar.description, "timeZone": settings.timeZone,
            "threshold": settings.threshold, "policy": settings.policy.rawValue, "graceDays": settings.graceDays,
            "feedbackReaders": settings.feedbackReaders.rawValue, "ballots": settings.ballots.rawValue,
            "actionAuthors": settings.actionAuthors.rawValue, "shareTokenHash": shareTokenHash.map { Data($0) },
            "searchText": NameSearch.text(of: [name]),
        ]
    }
}

extension Team {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = """
        teams.id, teams.name, calendar, timeZone, threshold, policy, graceDays, feedbackReaders, ballots, \
        actionAuthors, memberCount, publicationNumber, shareTokenHash
        """

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            id: try row.parsed(), name: row.value(),
            settings: TeamSettings(
                calendar: try row.parsed(), timeZone: row.value(), threshold: row.value(), policy: try row.named(),
                graceDays: row.value(), feedbackReaders: try row.named(), ballots: try row.named(),
                actionAuthors: try row.named()),
            memberCount: row.value(), publicationNumber: row.value(), shareTokenHash: row.optionalBytes())
    }
}
