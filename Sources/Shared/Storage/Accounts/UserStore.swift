package import Domain

/// Stores users. Both stores pass the same contract suite; every call may also throw `StorageError.unavailable`.
package protocol UserStore: TransactionalStore {
    /// `nil` if there is none.
    func find(id: User.ID) async throws -> User?

    /// The existing ones among these users, ordered by id. One round trip.
    func list(ids: [User.ID]) async throws -> [User]

    /// By user name or e-mail address, ignoring case. Names have no `@` and addresses have one, so at most one user
    /// matches.
    func find(login: String) async throws -> User?

    /// The ones in use among these pictures. One round trip, by an index.
    func pictures(among ids: [ProfilePicture.ID]) async throws -> Set<ProfilePicture.ID>

    /// Ordered by case-folded name. `after` is the folded name of the last user of the previous page; `nil` as search
    /// means all users.
    /// - Complexity: without a search, `limit` reads by an index. With one, `limit` reads by the index of names, plus
    ///   one read by the index of addresses for each matching address: the number of other users does not matter.
    func list(matching search: UserSearch?, after: String?, limit: Int) async throws -> [User]

    /// Number of users with this role who are not disabled.
    func count(role: User.Role) async throws -> Int
}

extension UserStore {
    /// All users, one page at a time.
    package func list(after: String?, limit: Int) async throws -> [User] {
        try await list(matching: nil, after: after, limit: limit)
    }
}
