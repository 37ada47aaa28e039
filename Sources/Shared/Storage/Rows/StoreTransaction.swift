/// A part of the store. All parts share one database, so a transaction of one reaches the rows of all.
package protocol TransactionalStore: Sendable {
    /// Runs `body` in one transaction: what it changed is stored when the call returns, or nothing if it throws.
    ///
    /// `body` sees one state of the store. It may run several times, so it must have no effect outside the transaction.
    /// Two transactions that change or lock the same row take effect as if one had followed the other; two that only
    /// read what the other changes may not.
    /// - Throws: what `body` throws; `StorageError`.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value
}

/// The rows of the store in one transaction. Rows know how they are stored and nothing else: whether a change is
/// allowed is decided by the caller.
package protocol StoreTransaction:
    ActionRows, DeletionRows, DeliveryRows, DeviceRows, ExternalIdentityRows, InvitationRows, JobRows,
    OneTimeTokenRows, ReceiptRows, RegistrationRows, ReminderRows, SessionRows, SprintRows, TeamRows, UserRows
{}

/// The errors of a store that its callers can expect. Every other error is a defect.
package enum StorageError: Error, Equatable, Sendable {
    /// The database cannot be reached, or cannot store anything at present. Nothing was stored.
    case unavailable
    /// A row with this key exists.
    case duplicate
}
