import Shared

extension Stores {
    /// The same stores with another user store.
    func replacing(users: any UserStore) -> Stores {
        Stores(
            users: users, sessions: sessions, tokens: tokens, invitations: invitations, registrations: registrations,
            identities: identities, teams: teams, reminders: reminders, absences: absences, sprints: sprints,
            ballots: ballots, devices: devices, jobs: jobs, deliveries: deliveries, experiments: experiments,
            actions: actions, clientErrors: clientErrors, processes: processes, texts: texts, system: system)
    }
}

/// A real user store in which storing the language fails.
struct LanguageRefusingUserStore: UserStore {
    let store: any UserStore

    func update(id: User.ID, _ update: UserUpdate) async throws {
        guard update.locale == nil else { throw AppError(.unavailable, "Away.", reason: "store-unavailable") }
        try await store.update(id: id, update)
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
    func insert(_ user: User) async throws { try await store.insert(user) }
    func insertFirst(_ user: User, claiming claim: TokenClaim) async throws {
        try await store.insertFirst(user, claiming: claim)
    }
    func delete(
        id: User.ID, ifPictureIs picture: ProfilePicture.ID?, ifAdmin admin: User.ID?, secret: BallotSecret,
        enqueueing job: Job
    ) async throws {
        try await store.delete(id: id, ifPictureIs: picture, ifAdmin: admin, secret: secret, enqueueing: job)
    }
    func count(role: User.Role) async throws -> Int { try await store.count(role: role) }
}
