import GRDB

/// Users in the table `users`.
struct SQLiteUserStore: UserStore {
    let database: SQLiteDatabase

    func find(id: User.ID) async throws -> User? {
        try await database.read { db in
            try db.first("SELECT \(User.columns) FROM users WHERE id = ?", [id.description]) { try User(&$0) }
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

    func list(after: String?, limit: Int) async throws -> [User] {
        try await database.read { db in
            try db.rows(
                "SELECT \(User.columns) FROM users WHERE nameFolded > ? ORDER BY nameFolded LIMIT ?",
                [after ?? "", limit]
            ) { try User(&$0) }
        }
    }

    func insert(_ user: User) async throws {
        let nameFolded = UserName.folded(user.name)
        let emailFolded = EmailAddress.folded(user.email)
        try await database.write { db in
            guard try !db.contains("SELECT 1 FROM users WHERE nameFolded = ?", [nameFolded]) else {
                throw AppError.nameTaken
            }
            guard try !db.contains("SELECT 1 FROM users WHERE emailFolded = ?", [emailFolded]) else {
                throw AppError.emailTaken
            }
            try db.change(
                """
                INSERT INTO users (
                    id, name, nameFolded, email, emailFolded, pendingEmail, role, passwordHash, isDisabled,
                    defaultTeam, locale, notifiesByPush, notifiesByMail, createdOn
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    user.id.description, user.name, nameFolded, user.email, emailFolded, user.pendingEmail,
                    user.role.rawValue, user.passwordHash, user.isDisabled, user.defaultTeamID?.description,
                    user.locale, user.notifications.push, user.notifications.mail, user.createdOn.description,
                ])
        }
    }

    func update(id: User.ID, _ update: UserUpdate) async throws {
        let emailFolded = update.email.map(EmailAddress.folded)
        try await database.write { db in
            let found = try db.first("SELECT passwordHash FROM users WHERE id = ?", [id.description]) {
                $0.optional(as: String.self)
            }
            guard let storedHash = found else { throw AppError.noSuchUser }
            if let expected = update.ifPasswordHashIs, expected != storedHash { throw AppError.changedMeanwhile }
            if let emailFolded {
                let taken = try db.contains(
                    "SELECT 1 FROM users WHERE emailFolded = ? AND id <> ?", [emailFolded, id.description])
                guard !taken else { throw AppError.emailTaken }
            }
            try db.change(update, of: id, emailFolded: emailFolded)
            if update.isDisabled == true {
                try db.change("DELETE FROM sessions WHERE user = ?", [id.description])
            }
        }
    }

    func delete(id: User.ID) async throws {
        let user = id.description
        try await database.write { db in
            try db.refuseIfOthersDependOn(user)
            try db.change(
                """
                UPDATE teams SET memberCount = memberCount - 1
                WHERE id IN (SELECT team FROM memberships WHERE user = ?)
                """,
                [user])
            try db.change("DELETE FROM memberships WHERE user = ?", [user])
            try db.change("DELETE FROM sessions WHERE user = ?", [user])
            try db.change("DELETE FROM oneTimeTokens WHERE subject = ?", [user])
            try db.change("DELETE FROM externalIdentities WHERE user = ?", [user])
            guard try db.change("DELETE FROM users WHERE id = ?", [user]) == 1 else { throw AppError.noSuchUser }
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
    /// - Throws: `AppError.lastAdmin`, `AppError.lastLead`.
    fileprivate func refuseIfOthersDependOn(_ user: String) throws {
        let isLastAdmin = try contains(
            """
            SELECT 1 FROM users WHERE id = ?1 AND role = 'admin' AND isDisabled = 0 AND NOT EXISTS (
                SELECT 1 FROM users WHERE role = 'admin' AND isDisabled = 0 AND id <> ?1
            )
            """,
            [user])
        guard !isLastAdmin else { throw AppError.lastAdmin }
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

    fileprivate func change(_ update: UserUpdate, of id: User.ID, emailFolded: String?) throws {
        let pendingEmail: String? = if case .set(let email) = update.pendingEmail { email } else { nil }
        try change(
            """
            UPDATE users SET passwordHash = coalesce(:passwordHash, passwordHash),
                email = coalesce(:email, email), emailFolded = coalesce(:emailFolded, emailFolded),
                pendingEmail = iif(:changesPendingEmail, :pendingEmail, pendingEmail),
                isDisabled = coalesce(:isDisabled, isDisabled), defaultTeam = coalesce(:defaultTeam, defaultTeam),
                role = coalesce(:role, role), locale = coalesce(:locale, locale),
                notifiesByPush = coalesce(:notifiesByPush, notifiesByPush),
                notifiesByMail = coalesce(:notifiesByMail, notifiesByMail)
            WHERE id = :id
            """,
            [
                "id": id.description, "passwordHash": update.passwordHash, "email": update.email,
                "emailFolded": emailFolded, "changesPendingEmail": update.pendingEmail != nil,
                "pendingEmail": pendingEmail, "isDisabled": update.isDisabled,
                "defaultTeam": update.defaultTeamID?.description, "role": update.role?.rawValue,
                "locale": update.locale, "notifiesByPush": update.notifications?.push,
                "notifiesByMail": update.notifications?.mail,
            ])
    }
}

extension User {
    /// The columns `init(_:)` reads, in its order.
    fileprivate static let columns = """
        id, name, email, pendingEmail, role, passwordHash, isDisabled, defaultTeam, locale, notifiesByPush, \
        notifiesByMail, createdOn
        """

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            stored: try row.parsed(), name: row.value(), email: row.value(), pendingEmail: row.optional(),
            role: try row.named(), passwordHash: row.optional(), isDisabled: row.value(),
            defaultTeamID: try row.optionalParsed(), locale: row.value(),
            notifications: NotificationSettings(push: row.value(), mail: row.value()), createdOn: try row.parsed())
    }
}
