import Domain
import Foundation
import GRDB

extension Database: RegistrationRows, RegistrationWrites {
    func registration(_ id: Registration.ID) throws -> Registration? {
        try first("SELECT \(Registration.columns) FROM registrations WHERE id = ?", [id.description]) {
            try Registration(&$0)
        }
    }

    func put(_ registration: Registration) throws {
        let foldedEmail = EmailAddress.folded(registration.email)
        try change("DELETE FROM registrations WHERE foldedEmail = ?", [foldedEmail])
        try change(
            """
            INSERT INTO registrations (id, name, email, foldedEmail, passwordHash, role, locale, expires)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                registration.id.description, registration.name, registration.email, foldedEmail,
                registration.passwordHash, registration.role.rawValue, registration.locale,
                registration.expires.milliseconds,
            ])
    }

    func registration(email: String) throws -> Registration? {
        try first(
            "SELECT \(Registration.columns) FROM registrations WHERE foldedEmail = ?",
            [EmailAddress.folded(email)]
        ) { try Registration(&$0) }
    }

    func deleteRegistration(_ id: Registration.ID) throws {
        try change("DELETE FROM registrations WHERE id = ?", [id.description])
    }

    func deleteExpiredRegistrations(before instant: Date) throws {
        try change("DELETE FROM registrations WHERE expires < ?", [instant.milliseconds])
    }
}

extension Registration {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = "id, name, email, passwordHash, role, locale, expires"

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            id: try row.parsed(), name: row.value(), email: row.value(), passwordHash: row.value(),
            role: try row.named(), locale: row.value(), expires: row.instant())
    }
}
