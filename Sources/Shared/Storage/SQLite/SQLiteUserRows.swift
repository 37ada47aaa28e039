import Domain
import Foundation
import GRDB

extension Database: UserRows {
    func user(_ id: User.ID) throws -> User? {
        try first("SELECT \(User.columns) FROM users WHERE id = ?", [id.description]) { try User(&$0) }
    }

    func user(name: String) throws -> User? {
        try first("SELECT \(User.columns) FROM users WHERE foldedName = ?", [UserName.folded(name)]) {
            try User(&$0)
        }
    }

    func user(email: String) throws -> User? {
        try first("SELECT \(User.columns) FROM users WHERE foldedEmail = ?", [EmailAddress.folded(email)]) {
            try User(&$0)
        }
    }

    func users(near mailbox: Mailbox) throws -> [User] {
        let range = mailbox.subaddresses
        return try rows(
            """
            SELECT \(User.columns) FROM users
            WHERE foldedEmail = ?1 OR foldedEmail >= ?2 AND foldedEmail < ?3
            """,
            // Without sub-addresses the range is empty.
            [mailbox.address, range?.text ?? "", range?.end ?? ""]
        ) { try User(&$0) }
    }

    func users(_ ids: [User.ID]) throws -> [User] {
        // As JSON, so that one statement serves any number of ids.
        let list = try idList(ids)
        return try rows(
            "SELECT \(User.columns) FROM users WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", [list]
        ) { try User(&$0) }
    }

    func users(matching search: NameSearch?, after: String?, limit: Int) throws -> [User] {
        guard let search else {
            return try rows(
                "SELECT \(User.columns) FROM users WHERE foldedName > ? ORDER BY foldedName LIMIT ?",
                [after ?? "", limit]
            ) { try User(&$0) }
        }
        let page: SQLiteArguments = ["after": after ?? "", "limit": limit]
        return try rows(Self.userSearchSQL(search), page + search.arguments) { try User(&$0) }
    }

    /// Reads the index of search texts, and only the rows of the page.
    static func userSearchSQL(_ search: NameSearch) -> String {
        """
        SELECT \(User.columns) FROM users WHERE id IN (
            SELECT id FROM users INDEXED BY usersBySearch
            WHERE foldedName > :after AND \(search.condition(on: "searchText"))
            ORDER BY foldedName LIMIT :limit
        )
        ORDER BY +foldedName
        """
    }

    func pictures(among ids: [ProfilePicture.ID]) throws -> Set<ProfilePicture.ID> {
        let list = try idList(ids)
        return Set(
            try rows("SELECT picture FROM users WHERE picture IN (SELECT value FROM json_each(?))", [list]) {
                try $0.parsed()
            })
    }

    func users(role: User.Role, limit: Int) throws -> [User] {
        try rows(
            "SELECT \(User.columns) FROM users WHERE role = ? AND isDisabled = 0 ORDER BY id LIMIT ?",
            [role.rawValue, limit]
        ) { try User(&$0) }
    }

    func userCount(role: User.Role) throws -> Int {
        try first("SELECT count(*) FROM users WHERE role = ? AND isDisabled = 0", [role.rawValue]) {
            $0.value()
        } ?? 0
    }
}

extension Database: UserChanges {
    /// Nothing to do: SQLite has one writer, so transactions follow each other.
    func lock(_ userID: User.ID) throws -> Bool {
        try contains("SELECT 1 FROM users WHERE id = ?", [userID.description])
    }

    func lockAdmins(except userID: User.ID) throws -> Int {
        try first(
            "SELECT count(*) FROM users WHERE role = 'admin' AND isDisabled = 0 AND id <> ?",
            [
                userID.description
            ]
        ) { $0.value() } ?? 0
    }

    func insert(_ user: User) throws {
        try change(
            """
            INSERT INTO users (
                id, name, displayName, foldedName, email, foldedEmail, pendingEmail, role, passwordHash, isDisabled,
                defaultTeam, locale, notifiesByPush, notifiesByMail, notifiesOfResults, reminderHour, daysOff, picture,
                pictureUploadedAt, createdOn, addressFault, addressFaultSince, emailSetOn, passwordIsHandedOut,
                searchText
            ) VALUES (
                :id, :name, :displayName, :foldedName, :email, :foldedEmail, :pendingEmail, :role, :passwordHash,
                :isDisabled,
                :defaultTeam, :locale, :notifiesByPush, :notifiesByMail, :notifiesOfResults, :reminderHour,
                :daysOff, :picture, :pictureUploadedAt, :createdOn, :addressFault, :addressFaultSince, :emailSetOn,
                :passwordIsHandedOut, :searchText
            )
            """,
            user.arguments)
    }

    func update(_ user: User) throws {
        try change(
            """
            UPDATE users SET name = :name, displayName = :displayName, foldedName = :foldedName, email = :email,
                foldedEmail = :foldedEmail, pendingEmail = :pendingEmail, role = :role, passwordHash = :passwordHash,
                isDisabled = :isDisabled, defaultTeam = :defaultTeam, locale = :locale,
                notifiesByPush = :notifiesByPush, notifiesByMail = :notifiesByMail,
                notifiesOfResults = :notifiesOfResults,
                reminderHour = :reminderHour, daysOff = :daysOff, picture = :picture,
                pictureUploadedAt = :pictureUploadedAt, createdOn = :createdOn,
                addressFault = :addressFault, addressFaultSince = :addressFaultSince, emailSetOn = :emailSetOn,
                passwordIsHandedOut = :passwordIsHandedOut, searchText = :searchText
            WHERE id = :id
            """,
            user.arguments)
    }

    func delete(_ user: User) throws {
        let id = user.id.description
        for table in ["memberships", "sessions", "devices", "externalIdentities"] {
            try change("DELETE FROM \(table) WHERE user = ?", [id])
        }
        try change("DELETE FROM oneTimeTokens WHERE subject = ?", [id])
        try change("DELETE FROM users WHERE id = ?", [id])
    }
}

extension User {
    fileprivate var arguments: SQLiteArguments {
        [
            "id": id.description, "name": name, "displayName": displayName, "foldedName": UserName.folded(name),
            "email": email,
            "foldedEmail": EmailAddress.folded(email), "pendingEmail": pendingEmail, "role": role.rawValue,
            "passwordHash": passwordHash, "isDisabled": isDisabled, "defaultTeam": defaultTeamID?.description,
            "locale": locale, "notifiesByPush": notifications.push, "notifiesByMail": notifications.mail,
            "notifiesOfResults": notifications.results, "reminderHour": notifications.hour,
            "daysOff": WeekdayList(days: notifications.daysOff).description,
            "picture": picture?.id.description,
            "pictureUploadedAt": picture?.uploadedAt.milliseconds, "createdOn": createdOn.description,
            "addressFault": addressFault?.kind.rawValue, "addressFaultSince": addressFault?.since.description,
            "emailSetOn": emailSetOn?.description, "passwordIsHandedOut": passwordIsHandedOut,
            "searchText": searchText,
        ]
    }
}

extension User {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = """
        id, name, displayName, email, pendingEmail, role, passwordHash, isDisabled, defaultTeam, locale, \
        notifiesByPush, notifiesByMail, notifiesOfResults, reminderHour, daysOff, picture, pictureUploadedAt, \
        createdOn, addressFault, addressFaultSince, emailSetOn, passwordIsHandedOut
        """

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            stored: try row.parsed(), name: row.value(), displayName: row.optional(), email: row.value(),
            pendingEmail: row.optional(), role: try row.named(), passwordHash: row.optional(), isDisabled: row.value(),
            defaultTeamID: try row.optionalParsed(), locale: row.value(),
            notifications: NotificationSettings(
                push: row.value(), mail: row.value(), results: row.value(), hour: row.optional(),
                daysOff: try row.parsed(as: WeekdayList.self).days),
            picture: try ProfilePicture(id: row.optionalParsed(), uploadedAt: row.optionalInstant()),
            createdOn: try row.parsed(),
            addressFault: try AddressFault(&row), emailSetOn: try row.optionalParsed(),
            passwordIsHandedOut: row.value())
    }
}

extension AddressFault {
    /// `nil` unless both columns have a value; they always do so together.
    fileprivate init?(_ row: inout SQLiteRow) throws {
        let kind: String? = row.optional()
        let since: CalendarDay? = try row.optionalParsed()
        guard let kind, let since else { return nil }
        guard let named = Kind(rawValue: kind) else {
            throw SQLiteStorageError("The store holds a fault of an address that this program cannot read.")
        }
        self.init(kind: named, since: since)
    }
}

extension ProfilePicture {
    /// `nil` unless both columns have a value; they always do so together.
    fileprivate init?(id: ID?, uploadedAt: Date?) {
        guard let id, let uploadedAt else { return nil }
        self.init(id: id, uploadedAt: uploadedAt)
    }
}
