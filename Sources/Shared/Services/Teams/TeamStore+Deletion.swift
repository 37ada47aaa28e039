package import Foundation

extension TeamStore {
    /// Deletes a team with everything that belongs to it. To its members it is gone when the call returns; on MongoDB a
    /// job then deletes sprints, receipts and the like. Users whose default team it was get another of their teams.
    ///
    /// One transaction, unless the team has more than `Self.membersAtOnce` members: then they leave in several, before
    /// the last one deletes the team.
    /// - Throws: `AppError.notFound`.
    package func delete(_ id: Team.ID, at now: Date) async throws {
        while true {
            let isDeleted = try await transaction { rows in
                guard try rows.lock(id), let team = try rows.team(id) else { throw AppError.noSuchTeam }
                let members = try rows.memberIDs(of: id, limit: Self.membersAtOnce)
                for userID in members {
                    try rows.delete(Membership(teamID: id, userID: userID, role: .member))
                    try rows.replaceDefaultTeam(id, of: userID)
                }
                guard members.count < Self.membersAtOnce else {
                    try rows.changeMemberCount(of: id, by: -members.count)
                    return false
                }
                try rows.delete(team)
                try rows.insert(DeletedTeam(teamID: id).removal(at: now))
                return true
            }
            if isDeleted { return }
        }
    }

    /// Members that leave in one transaction: MongoDB aborts one that takes longer than a minute.
    private static var membersAtOnce: Int { 500 }
}
