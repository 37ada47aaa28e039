package import Domain

/// Pending registrations.
package protocol RegistrationRows {
    /// `nil` if there is none.
    func registration(_ id: Registration.ID) throws -> Registration?

    /// By address, case-folded; `nil` if there is none.
    func registration(email: String) throws -> Registration?
}

/// Changes of registrations, each atomic by itself or part of a transaction.
package protocol RegistrationWrites {
    /// Stores a registration and replaces an earlier one for the same address, case-folded.
    func put(_ registration: Registration) throws

    /// Deleting a missing registration succeeds.
    func deleteRegistration(_ id: Registration.ID) throws
}
