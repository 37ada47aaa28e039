package import Domain

/// The rows of one installation. All of them share one database, so a transaction reaches them all.
///
/// A closure may run several times, so it must have no effect outside.
package protocol Store: Sendable {
    /// Runs `body`, which only reads. On SQLite it sees one state of the store; on MongoDB each read sees the state at
    /// its own time, and costs one round trip.
    /// - Throws: what `body` throws; `StorageError.unavailable`.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreRows) throws -> Value
    ) async throws -> Value

    /// Runs `body`, which changes rows. Each change is atomic by itself, several together are not.
    /// - Throws: what `body` throws; `StorageError`.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWrites) throws -> Value
    ) async throws -> Value

    /// Runs `body` in one transaction: what it changed is stored when the call returns, or nothing if it throws.
    ///
    /// `body` sees one state of the store. Two transactions that change or lock the same row take effect as if one had
    /// followed the other; two that only read what the other changes may not.
    /// - Throws: what `body` throws; `StorageError`.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value
}

extension Store {
    /// `nil` if there is none.
    package func user(_ id: User.ID) async throws -> User? {
        try await read { try $0.user(id) }
    }

    /// By user name or e-mail address, ignoring case.
    package func user(login: String) async throws -> User? {
        try await read { try $0.user(login: login) }
    }

    /// `nil` if it has ended or never existed. An expired one may still be found.
    package func session(_ id: Session.ID) async throws -> Session? {
        try await read { try $0.session(id) }
    }

    /// `nil` if there is none.
    package func team(_ id: Team.ID) async throws -> Team? {
        try await read { try $0.team(id) }
    }

    /// `nil` if there is none.
    package func sprint(_ key: Sprint.Key) async throws -> SprintRecord? {
        try await read { try $0.sprint(key) }
    }

    /// `nil` if the user is not in the team.
    package func membership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership? {
        try await read { try $0.membership(of: userID, in: teamID) }
    }
}

/// What can be read. Rows know how they are stored and nothing else.
package protocol StoreRows:
    AbsenceRows, ActionRows, ClientErrorRows, DeletionRows, DeliveryRows, DeviceRows, ExperimentRows,
    ExternalIdentityRows, InvitationRows, OneTimeTokenRows, ProcessRows, RegistrationRows, ReminderRows, SessionRows,
    SprintRows, TeamRows, TextRows, UserRows
{}

/// Changes that need no transaction.
package protocol StoreWrites:
    ClientErrorWrites, DeletionWrites, DeliveryWrites, DeviceWrites, ExperimentWrites, ExpiryWrites, InvitationWrites,
    OneTimeTokenWrites, ProcessWrites, QuotaWrites, RegistrationWrites, SessionWrites, TeamWrites, TextWrites
{}

/// The rows of the store in one transaction. Whether a change is allowed is decided by the caller.
package protocol StoreTransaction:
    StoreRows, AbsenceChanges, ActionChanges, DeletionChanges, DeliveryChanges, DeviceChanges, ExperimentChanges,
    ExternalIdentityChanges, InvitationChanges, InvitationWrites, JobChanges, OneTimeTokenWrites, ReceiptChanges,
    RegistrationWrites, ReminderChanges, SessionChanges, SprintChanges, TeamChanges, UserChanges
{}

/// The errors of a store that its callers can expect. Every other error is a defect.
package enum StorageError: Error, Equatable, Sendable {
    /// The database cannot be reached, or cannot store anything at present. Nothing was stored.
    case unavailable
    /// A row with this key exists.
    case duplicate
}
