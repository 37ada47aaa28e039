import Domain
import Foundation
import Mongo

extension MongoRows: RegistrationRows, RegistrationWrites {
    func registration(_ id: Registration.ID) throws -> Registration? {
        try collection(.registrations).findOne(["id": .id(id)], in: transaction).map(Registration.init)
    }

    func put(_ registration: Registration) throws {
        let document = registration.document
        func put() throws {
            try collection(.registrations).replaceOne(
                ["_id": .string(document.text("_id"))], document, upsert: true, in: transaction)
        }
        do {
            try put()
        } catch let error as MongoError where error.kind == .duplicateKey {
            // Two first calls raced to insert; now there is one to replace.
            try put()
        }
    }

    func registration(email: String) throws -> Registration? {
        try registration(["_id": .string(EmailAddress.folded(email))])
    }

    func deleteRegistration(_ id: Registration.ID) throws {
        try collection(.registrations).deleteOne(["id": .id(id)], in: transaction)
    }

    func deleteExpiredRegistrations(before instant: Date) throws {
        try collection(.registrations).deleteMany(["expires": ["$lt": .date(instant)]], in: transaction)
    }

    private func registration(_ filter: BSONDocument) throws -> Registration? {
        try collection(.registrations).findOne(filter, in: transaction).map(Registration.init)
    }
}
