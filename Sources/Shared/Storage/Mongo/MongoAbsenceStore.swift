import Mongo

/// `AbsenceStore` on the field `absences` of the documents in `users`, so absences are deleted with the user. The field
/// is missing if there are none.
struct MongoAbsenceStore: MongoTransactions, AbsenceStore {
    let connection: MongoConnection

    func list(userID: User.ID) async throws -> [Absence] {
        try await connection.run { database in
            try database.collection(.users).findOne(["_id": .id(userID)], projection: ["absences": 1])?.absences ?? []
        }
    }

    /// Scans all users with absences, few at any time, instead of the team: each batch of a reminder calls this.
    func list(teamID: Team.ID) async throws -> [User.ID: [Absence]] {
        try await connection.run { database in
            let absences = try database.absences()
            let memberships = absences.map { BSONValue.string(Membership.documentID(of: $0.id, in: teamID)) }
            let members = Set(
                try database.collection(.memberships)
                    .find(["_id": .among(memberships)], projection: ["_id": 1])
                    .map { try $0.text("_id") })
            return Dictionary(
                absences.filter { members.contains(Membership.documentID(of: $0.id, in: teamID)) }
                    .map { ($0.id, $0.list) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    func listByTeam() async throws -> [Team.ID: [[Absence]]] {
        try await connection.run { database in
            let absences = Dictionary(
                try database.absences().map { ($0.id, $0.list) }, uniquingKeysWith: { first, _ in first })
            let memberships = try database.collection(.memberships).find(
                ["user": .among(absences.keys.map(BSONValue.id))], projection: ["team": 1, "user": 1])
            return try memberships.reduce(into: [:]) { teams, membership in
                guard let list = absences[try membership.parsed("user")] else { return }
                teams[try membership.parsed("team"), default: []].append(list)
            }
        }
    }

    func deletePast(before day: CalendarDay) async throws {
        // Days sort like their texts.
        let past: BSONValue = ["last": ["$lt": .string(day.description)]]
        try await connection.run { database in
            _ = try database.collection(.users).updateMany(
                ["absences.last": ["$lt": .string(day.description)]], ["$pull": ["absences": past]])
        }
    }
}

extension MongoDatabase {
    /// The absences of all users who have any.
    fileprivate func absences() throws -> [(id: User.ID, list: [Absence])] {
        try collection(.users).find(["absences.last": ["$gt": ""]], projection: ["absences": 1])
            .map { (id: try $0.parsed("_id"), list: try $0.absences) }
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
