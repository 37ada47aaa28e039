package import Domain

/// Users.
package protocol UserRows {
    /// `nil` if there is none.
    func user(_ id: User.ID) throws -> User?

    /// By name, ignoring case.
    func user(name: String) throws -> User?

    /// By e-mail address, ignoring case.
    func user(email: String) throws -> User?

    /// The existing ones among these users, ordered by id. One round trip.
    func users(_ ids: [User.ID]) throws -> [User]

    /// The users whose case-folded address is that of the mailbox or begins like its sub-addresses, in no particular
    /// order: some may have another mailbox, at another domain. Reads an index.
    func users(near mailbox: Mailbox) throws -> [User]

    /// Ordered by case-folded name. `after` is the folded name of the last user of the previous page; `nil` as search
    /// means all users. A search looks at names and addresses (`User.searchText`).
    /// - Complexity: `limit` reads by an index. A search also reads the index, until it has found enough: of all users
    ///   if there are few matches.
    func users(matching search: NameSearch?, after: String?, limit: Int) throws -> [User]

    /// The ones in use among these pictures. One round trip, by an index.
    func pictures(among ids: [ProfilePicture.ID]) throws -> Set<ProfilePicture.ID>

    /// The first users with this role who are not disabled, ordered by id.
    func users(role: User.Role, limit: Int) throws -> [User]

    /// Number of users with this role who are not disabled.
    func userCount(role: User.Role) throws -> Int
}

extension UserRows {
    /// By user name or e-mail address, ignoring case. Names have no `@` and addresses have one, so at most one user
    /// matches.
    package func user(login: String) throws -> User? {
        login.contains("@") ? try user(email: login) : try user(name: login)
    }
}

/// Changes of users in a transaction.
package protocol UserChanges {
    /// Makes transactions that lock the same user take effect one after the other.
    /// - Returns: whether the user exists.
    @discardableResult
    func lock(_ userID: User.ID) throws -> Bool

    /// Locks every enabled admin but this user.
    /// - Returns: their number.
    func lockAdmins(except userID: User.ID) throws -> Int

    /// - Throws: `StorageError.duplicate` if the id, or the case-folded name or address, exists.
    func insert(_ user: User) throws

    /// Replaces the user with the same id.
    /// - Throws: `StorageError.duplicate` as `insert`.
    func update(_ user: User) throws

    /// Deletes the user, their memberships, sessions, devices, one-time tokens and external identities. Messages that
    /// they requested stay without their name.
    func delete(_ user: User) throws
}
