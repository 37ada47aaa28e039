import Domain
import Mongo

/// Absences are the field `absences` of the documents in `users`, so they are deleted with the user. The field is
/// missing if there are none.
extension MongoRows: AbsenceRows {
    func absences(of userID: User.ID) throws -> [Absence] {
        try collection(.users).findOne(["_id": .id(userID)], projection: ["absences": 1], in: transaction)?.absences
            ?? []
    }

    /// Scans all users with absences, few at any time, instead of the team: each batch of a reminder calls this.
    func absences(in teamID: Team.ID) throws -> [User.ID: [Absence]] {
        let absences = try userAbsences()
        let memberships = absences.map { BSONValue.string(Membership.documentID(of: $0.id, in: teamID)) }
        let members = Set(
            try collection(.memberships)
                .find(["_id": .among(memberships)], projection: ["_id": 1], in: transaction)
                .map { try $0.text("_id") })
        return Dictionary(
            absences.filter { members.contains(Membership.documentID(of: $0.id, in: teamID)) }
                .map { ($0.id, $0.list) },
            uniquingKeysWith: { first, _ in first })
    }

    func absencesByTeam() throws -> [Team.ID: [[Absence]]] {
        let absences = Dictionary(
            try userAbsences().map { ($0.id, $0.list) }, uniquingKeysWith: { first, _ in first })
        let memberships = try collection(.memberships).find(
            ["user": .among(absences.keys.map(BSONValue.id))], projection: ["team": 1, "user": 1], in: transaction)
        return try memberships.reduce(into: [:]) { teams, membership in
            guard let list = absences[try membership.parsed("user")] else { return }
            teams[try membership.parsed("team"), default: []].append(list)
        }
    }

    func deletePastAbsences(before day: CalendarDay) throws {
        // Days sort like their texts.
        let past: BSONValue = ["last": ["$lt": .string(day.description)]]
        try collection(.users).updateMany(
            ["absences.last": ["$lt": .string(day.description)]], ["$pull": ["absences": past]], in: transaction)
    }
}

extension MongoRows: AbsenceChanges {
    func setAbsences(_ absences: [Absence], of userID: User.ID) throws {
        let list = absences.map { absence -> BSONValue in
            ["first": .string(absence.first.description), "last": .string(absence.last.description)]
        }
        try collection(.users).updateOne(
            ["_id": .id(userID)],
            list.isEmpty ? ["$unset": ["absences": ""]] : ["$set": ["absences": .array(list)]], in: transaction)
    }
}

extension MongoRows {
    /// The absences of all users who have any.
    private func userAbsences() throws -> [(id: User.ID, list: [Absence])] {
        try collection(.users).find(["absences.last": ["$gt": ""]], projection: ["absences": 1], in: transaction)
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
