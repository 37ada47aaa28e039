import Mongo

/// `AbsenceStore` on the field `absences` of the documents in `users`, which goes with the user. It is missing where
/// there are none.
struct MongoAbsenceStore: AbsenceStore {
    let connection: MongoConnection

    func list(userID: User.ID) async throws -> [Absence] {
        try await connection.run { database in
            try database.collection(.users).findOne(["_id": .id(userID)], projection: ["absences": 1])?.absences ?? []
        }
    }

    func list(teamID: Team.ID) async throws -> [User.ID: [Absence]] {
        try await connection.run { database in
            let members = try database.collection(.memberships).find(["team": .id(teamID)]).map(Membership.init)
            let users = try database.collection(.users).find(
                ["_id": .among(members.map { .id($0.userID) }), "absences.0": ["$exists": true]],
                projection: ["absences": 1])
            return Dictionary(
                try users.map { (try $0.parsed("_id"), try $0.absences) }, uniquingKeysWith: { first, _ in first })
        }
    }

    func replace(userID: User.ID, _ absences: [Absence]) async throws {
        let list = absences.map { absence -> BSONValue in
            ["first": .string(absence.first.description), "last": .string(absence.last.description)]
        }
        let update: BSONDocument =
            list.isEmpty ? ["$unset": ["absences": ""]] : ["$set": ["absences": .array(list)]]
        let result = try await connection.run { try $0.collection(.users).updateOne(["_id": .id(userID)], update) }
        guard result.matched == 1 else { throw AppError.noSuchUser }
    }

    func deletePast(before day: CalendarDay) async throws {
        // Days compare as their texts do.
        let past: BSONValue = ["last": ["$lt": .string(day.description)]]
        try await connection.run { database in
            _ = try database.collection(.users).updateMany(
                ["absences.last": ["$lt": .string(day.description)]], ["$pull": ["absences": past]])
        }
    }
}

extension BSONDocument {
    /// A user's absences.
    fileprivate var absences: [Absence] {
        get throws {
            guard self["absences"] != nil else { return [] }
            return try list("absences") { $0.documentValue }.map { absence in
                Absence(first: try absence.parsed("first"), last: try absence.parsed("last"))
            }
        }
    }
}
