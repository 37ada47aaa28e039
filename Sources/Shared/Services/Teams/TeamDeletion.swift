package import Domain
package import Foundation
package import Storage

extension Store {
    /// Deletes a team with everything that belongs to it. To its members it is gone when the call returns; on MongoDB a
    /// job then deletes sprints, receipts and the like. Users whose default team it was get another of their teams.
    ///
    /// The members leave in slices, each in one transaction, and the last one deletes the team. The first one enqueues
    /// the job, which also resumes the deletion if this process dies in between, and remembers the deletion for
    /// restores (`Deletion`).
    /// - Throws: `AppError.notFound`.
    package func deleteTeam(_ id: Team.ID, at now: Date, secret: BallotSecret) async throws {
        let deletion = Deletion(of: .team(id), on: CalendarDay(instant: now, in: .gmt), secret: secret)
        try await deleteTeam(id, beginningWith: (DeletedTeam(teamID: id).removal(at: now), deletion))
    }

    /// Deletes the remaining data of a team whose deletion has begun; repeating it changes nothing.
    package func finishDeletion(of id: Team.ID) async throws {
        do {
            try await deleteTeam(id, beginningWith: nil)
        } catch let error as AppError where error == .noSuchTeam {
            // Only its remains are left.
        }
        try await write { try $0.purgeDeletedTeam(of: id) }
    }

    /// - Parameter beginning: stored in the first transaction.
    private func deleteTeam(_ id: Team.ID, beginningWith beginning: (job: Job, deletion: Deletion)?) async throws {
        var isFirst = true
        while true {
            do {
                let isDeleted = try await transaction { [beginning = isFirst ? beginning : nil] rows in
                    if let beginning {
                        try rows.insert([beginning.job])
                        try rows.insert(beginning.deletion)
                    }
                    return try rows.deleteSlice(of: id)
                }
                if isDeleted { return }
            } catch let error as AppError where error == .noSuchTeam && !isFirst {
                // The job was faster.
                return
            }
            isFirst = false
        }
    }
}

extension StoreTransaction {
    /// Members that leave in one transaction: a login of one of them repeats it, and MongoDB's time is limited.
    private static var sliceLength: Int { 50 }

    /// - Returns: whether these were the last members, and the team is deleted.
    fileprivate func deleteSlice(of id: Team.ID) throws -> Bool {
        guard try lock(id), let team = try team(id) else { throw AppError.noSuchTeam }
        let members = try memberIDs(of: id, after: nil, through: nil, limit: Self.sliceLength)
        for userID in members {
            try delete(Membership(teamID: id, userID: userID, role: .member))
            try replaceDefaultTeam(id, of: userID)
        }
        guard members.count < Self.sliceLength else {
            try changeMemberCount(of: id, by: -members.count)
            return false
        }
        for invitation in try invitationIDs(of: id) {
            try deleteTokens(purpose: .invitation, subject: invitation.description)
        }
        try delete(team)
        return true
    }
}
