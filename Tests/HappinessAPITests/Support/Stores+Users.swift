import Domain
import Storage

extension Stores {
    /// The same stores with another user store.
    func replacing(users: any UserStore) -> Stores {
        var stores = self
        stores.users = users
        return stores
    }
}

/// A real user store in which every change fails.
struct ReadOnlyUserStore: UserStore {
    let store: any UserStore

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        throw StorageError.unavailable
    }

    func find(id: User.ID) async throws -> User? { try await store.find(id: id) }
    func list(ids: [User.ID]) async throws -> [User] { try await store.list(ids: ids) }
    func find(login: String) async throws -> User? { try await store.find(login: login) }
    func pictures(among ids: [ProfilePicture.ID]) async throws -> Set<ProfilePicture.ID> {
        try await store.pictures(among: ids)
    }
    func list(matching search: UserSearch?, after: String?, limit: Int) async throws -> [User] {
        try await store.list(matching: search, after: after, limit: limit)
    }
    func count(role: User.Role) async throws -> Int { try await store.count(role: role) }
}
