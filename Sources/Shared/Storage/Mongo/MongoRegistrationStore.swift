import Foundation
import Mongo

/// `RegistrationStore` on the collection `registrations`.
struct MongoRegistrationStore: MongoTransactions, RegistrationStore {
    let connection: MongoConnection

    func put(_ registration: Registration) async throws {
        let document = registration.document
        try await connection.run { database in
            func put() throws {
                try database.collection(.registrations).replaceOne(
                    ["_id": .string(document.text("_id"))], document, upsert: true)
            }
            do {
                try put()
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Two first calls raced to insert; now there is one to replace.
                try put()
            }
        }
    }

    func find(id: Registration.ID) async throws -> Registration? {
        try await find(["id": .id(id)])
    }

    func find(email: String) async throws -> Registration? {
        try await find(["_id": .string(EmailAddress.folded(email))])
    }

    func delete(id: Registration.ID) async throws {
        try await connection.run { _ = try $0.collection(.registrations).deleteOne(["id": .id(id)]) }
    }

    func deleteExpired(before instant: Date) async throws {
        try await connection.run { database in
            _ = try database.collection(.registrations).deleteMany(["expires": ["$lt": .date(instant)]])
        }
    }

    private func find(_ filter: BSONDocument) async throws -> Registration? {
        try await connection.run { try $0.collection(.registrations).findOne(filter).map(Registration.init) }
    }
}

extension MongoRows: RegistrationRows {
    func registration(_ id: Registration.ID) throws -> Registration? {
        try collection(.registrations).findOne(["id": .id(id)], in: transaction).map(Registration.init)
    }

    func delete(_ registration: Registration) throws {
        try collection(.registrations).deleteOne(["id": .id(registration.id)], in: transaction)
    }
}
