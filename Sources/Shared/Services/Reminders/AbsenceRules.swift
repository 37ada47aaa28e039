package import Domain
package import Storage

extension StoreTransaction {
    /// Replaces all of the user's absences; expects an ordered list without duplicates.
    /// - Throws: `AppError.notFound` if there is no such user.
    package func replaceAbsences(of userID: User.ID, by absences: [Absence]) throws {
        guard try lock(userID) else { throw AppError.noSuchUser }
        try setAbsences(absences, of: userID)
    }
}
