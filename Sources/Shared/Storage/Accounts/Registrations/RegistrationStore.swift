package import Domain
package import Foundation

/// Stores pending registrations. Every call may also throw `StorageError.unavailable`.
package protocol RegistrationStore: TransactionalStore {
    /// Stores a registration and replaces an earlier one for the same address, case-folded.
    func put(_ registration: Registration) async throws

    /// `nil` if there is none.
    func find(id: Registration.ID) async throws -> Registration?

    /// By address, case-folded; `nil` if there is none.
    func find(email: String) async throws -> Registration?

    /// Deleting a missing registration succeeds.
    func delete(id: Registration.ID) async throws

    /// Removes registrations that expired before `instant`.
    func deleteExpired(before instant: Date) async throws
}
