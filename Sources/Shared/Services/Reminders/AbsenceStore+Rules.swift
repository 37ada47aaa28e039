package import Domain
package import Storage

extension AbsenceStore {
    /// Replaces all of the user's absences; expects an ordered list without duplicates.
    /// - Throws: `AppError.notFound` if there is no such user.
    package func replace(userID: User.ID, _ absences: [Absence]) async throws {
        try await transaction { rows in
            guard try rows.lock(userID) else { throw AppError.noSuchUser }
            try rows.setAbsences(absences, of: userID)
        }
    }
}
