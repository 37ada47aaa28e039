import Foundation
import GRDB

/// Registrations in the table `registrations`.
struct SQLiteRegistrationStore: SQLiteTransactions, RegistrationStore {
    let database: SQLiteDatabase

    func put(_ registration: Registration) async throws {
        let foldedEmail = EmailAddress.folded(registration.email)
        try await database.write { db in
            try db.change("DELETE FROM registrations WHERE foldedEmail = ?", [foldedEmail])
            try db.change(
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
    }

    func find(id: Registration.ID) async throws -> Registration? {
        try await database.read { try $0.registration(id) }
    }

    func find(email: String) async throws -> Registration? {
        try await database.read { db in
            try db.first(
                "SELECT \(Registration.columns) FROM registrations WHERE foldedEmail = ?",
                [EmailAddress.folded(email)]
            ) { try Registration(&$0) }
        }
    }

    func delete(id: Registration.ID) async throws {
        try await database.write { try $0.change("DELETE FROM registrations WHERE id = ?", [id.description]) }
    }

    func deleteExpired(before instant: Date) async throws {
        try await database.write { db in
            try db.change("DELETE FROM registrations WHERE expires < ?", [instant.milliseconds])
        }
    }
}

extension Database: RegistrationRows {
    func registration(_ id: Registration.ID) throws -> Registration? {
        try first("SELECT \(Registration.columns) FROM registrations WHERE id = ?", [id.description]) {
            try Registration(&$0)
        }
    }

    func delete(_ registration: Registration) throws {
        try change("DELETE FROM registrations WHERE id = ?", [registration.id.description])
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
