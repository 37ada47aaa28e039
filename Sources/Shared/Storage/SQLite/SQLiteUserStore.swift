import Foundation
import GRDB

/// Users in the table `users`.
struct SQLiteUserStore: UserStore {
    let database: SQLiteDatabase

    func find(id: User.ID) async throws -> User? {
        try await database.read { try $0.user(id: id.description) }
    }

    func list(ids: [User.ID]) async throws -> [User] {
        // As JSON, so that one statement serves any number of ids.
        let list = String(decoding: try JSONEncoder().encode(ids), as: UTF8.self)
        return try await database.read { db in
            try db.rows(
                "SELECT \(User.columns) FROM users WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", [list]
            ) { try User(&$0) }
        }
    }

    func find(login: String) async throws -> User? {
        try await database.read { db in
            if login.contains("@") {
                try db.first(
                    "SELECT \(User.columns) FROM users WHERE emailFolded = ?", [EmailAddress.folded(login)]
                ) { try User(&$0) }
            } else {
                try db.first(
                    "SELECT \(User.columns) FROM users WHERE nameFolded = ?", [UserName.folded(login)]
                ) { try User(&$0) }
            }
        }
    }

    func list(matching search: UserSearch?, after: String?, limit: Int) async throws -> [User] {
        try await database.read { db in
            guard let search else {
                return try db.rows(
                    "SELECT \(User.columns) FROM users WHERE nameFolded > ? ORDER BY nameFolded LIMIT ?",
                    [after ?? "", limit]
                ) { try User(&$0) }
            }
            return try db.rows(
                Self.searchSQL,
                [
                    "name": search.name.text, "nameEnd": search.name.end, "email": search.email.text,
                    "emailEnd": search.email.end, "after": after ?? "", "limit": limit,
                ]
            ) { try User(&$0) }
        }
    }

    /// Users whose name matches, and those where only the address does. The plus signs prevent the second half from
    /// scanning all names in order; it reads only the matching addresses (SQLite, "The SQLite Query Optimizer
    /// Overview", §2.1).
    static let searchSQL = """
        SELECT \(User.columns) FROM (
            SELECT * FROM (
                SELECT * FROM users
                WHERE nameFolded >= max(:after, :name) AND nameFolded < :nameEnd AND nameFolded <> :after
                ORDER BY nameFolded LIMIT :limit
            )
            UNION ALL
            SELECT * FROM (
                SELECT * FROM users
                WHERE emailFolded >= :email AND emailFolded < :emailEnd AND +nameFolded > :after
                    AND NOT (+nameFolded >= :name AND +nameFolded < :nameEnd)
                ORDER BY +nameFolded LIMIT :limit
            )
        )
        ORDER BY nameFolded LIMIT :limit
        """

    func pictures(among ids: [ProfilePicture.ID]) async throws -> Set<ProfilePicture.ID> {
        let list = String(decoding: try JSONEncoder().encode(ids), as: UTF8.self)
        return try await database.read { db in
            Set(
                try db.rows("SELECT picture FROM users WHERE picture IN (SELECT value FROM json_each(?))", [list]) {
                    try $0.parsed()
                })
        }
    }

    func insert(_ user: User) async throws {
        try await database.write { try $0.insert(user) }
    }

    func insertFirst(_ user: User, claiming claim: TokenClaim) async throws {
        try await database.write { db in
            try db.take(claim) { _ in try !db.contains("SELECT 1 FROM users", []) }
            try db.insert(user)
        }
    }

    func update(id: User.ID, _ update: UserUpdate) async throws {
        try await database.write { try $0.update(id, update) }
    }

    func delete(
        id: User.ID, ifPictureIs picture: ProfilePicture.ID?, ifAdmin admin: User.ID?, secret: BallotSecret,
        enqueueing job: Job
    ) async throws {
        let user = id.description
        try await database.write { db in
            guard let stored = try db.user(id: user) else { throw AppError.noSuchUser }
            guard stored.picture?.id == picture else { throw AppError.changedMeanwhile }
            try db.refuseUnlessAdmin(admin)
            try db.refuseIfOthersDependOn(user)
            try db.change(
                """
                UPDATE teams SET memberCount = memberCount - 1
                WHERE id IN (SELECT team FROM memberships WHERE user = ?)
                """,
                [user])
            try db.change("DELETE FROM memberships WHERE user = ?", [user])
            try db.releaseActions(of: user, in: nil)
            try db.change("DELETE FROM sessions WHERE user = ?", [user])
            try db.change("DELETE FROM devices WHERE user = ?", [user])
            try db.change("DELETE FROM oneTimeTokens WHERE subject = ?", [user])
            try db.change("DELETE FROM externalIdentities WHERE user = ?", [user])
            try db.keepReceipts(of: stored, secret: secret)
            try db.change("DELETE FROM users WHERE id = ?", [user])
            _ = try db.enqueue(job)
        }
    }

    func count(role: User.Role) async throws -> Int {
        try await database.read { db in
            try db.first("SELECT count(*) FROM users WHERE role = ? AND isDisabled = 0", [role.rawValue]) {
                $0.value()
            } ?? 0
        }
    }
}

extension Database {
    /// The user in the current transaction; `nil` if there is none.
    func user(id: String?) throws -> User? {
        try first("SELECT \(User.columns) FROM users WHERE id = ?", [id]) { try User(&$0) }
    }

    /// Like `user(id:)`, by the case-folded address.
    func user(emailFolded: String) throws -> User? {
        try first("SELECT \(User.columns) FROM users WHERE emailFolded = ?", [emailFolded]) { try User(&$0) }
    }

    /// Stores a user in the current transaction.
    /// - Throws: `AppError.nameTaken`, `AppError.emailTaken`.
    func insert(_ user: User) throws {
        let nameFolded = UserName.folded(user.name)
        let emailFolded = EmailAddress.folded(user.email)
        guard try !contains("SELECT 1 FROM users WHERE nameFolded = ?", [nameFolded]) else {
            throw AppError.nameTaken
        }
        guard try !contains("SELECT 1 FROM users WHERE emailFolded = ?", [emailFolded]) else {
            throw AppError.emailTaken
        }
        try change(
            """
            INSERT INTO users (
                id, name, nameFolded, email, emailFolded, pendingEmail, role, passwordHash, isDisabled,
                defaultTeam, locale, notifiesByPush, notifiesByMail, picture, pictureUploadedAt, createdOn
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                user.id.description, user.name, nameFolded, user.email, emailFolded, user.pendingEmail,
                user.role.rawValue, user.passwordHash, user.isDisabled, user.defaultTeamID?.description,
                user.locale, user.notifications.push, user.notifications.mail, user.picture?.id.description,
                user.picture?.uploadedAt.milliseconds, user.createdOn.description,
            ])
    }

    /// - Throws: `AppError.lastAdmin`, `AppError.lastLead`.
    fileprivate func refuseIfOthersDependOn(_ user: String) throws {
        try refuseIfLastAdmin(user)
        let ledAlone = try first(
            """
            SELECT teams.name FROM memberships AS own JOIN teams ON teams.id = own.team
            WHERE own.user = ?1 AND own.role = 'lead' AND teams.memberCount > 1 AND NOT EXISTS (
                SELECT 1 FROM memberships WHERE team = own.team AND role = 'lead' AND user <> ?1
            )
            ORDER BY teams.nameFolded LIMIT 1
            """,
            [user]
        ) { $0.value(as: String.self) }
        if let ledAlone { throw AppError.lastLead(of: ledAlone) }
    }
}

extension User {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = """
        id, name, email, pendingEmail, role, passwordHash, isDisabled, defaultTeam, locale, notifiesByPush, \
        notifiesByMail, picture, pictureUploadedAt, createdOn
        """

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            stored: try row.parsed(), name: row.value(), email: row.value(), pendingEmail: row.optional(),
            role: try row.named(), passwordHash: row.optional(), isDisabled: row.value(),
            defaultTeamID: try row.optionalParsed(), locale: row.value(),
            notifications: NotificationSettings(push: row.value(), mail: row.value()),
            picture: try ProfilePicture(id: row.optionalParsed(), uploadedAt: row.optionalInstant()),
            createdOn: try row.parsed())
    }
}

extension ProfilePicture {
    /// `nil` unless both columns have a value; they always do so together.
    fileprivate init?(id: ID?, uploadedAt: Date?) {
        guard let id, let uploadedAt else { return nil }
        self.init(id: id, uploadedAt: uploadedAt)
    }
}
