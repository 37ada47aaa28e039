extension InvitationService {
    /// Invites everyone on a list; a rejected line does not affect the others.
    /// - Returns: one report per line, in the same order. Once the caller's daily invitations are used up, further
    ///   lines are rejected with `too-many-invitations`.
    /// - Throws: `AppError`: `forbidden`, `unavailable`. A second import of the list reports lines that already
    ///   succeeded as such.
    package func importList(_ list: InvitationCSV, by caller: Caller) async throws -> [InvitationLineReport] {
        let inviter = try await inviter(caller)
        var reports: [InvitationLineReport] = []
        for line in list.lines {
            reports.append(try await report(on: line, by: inviter))
        }
        return reports
    }

    private func report(on line: InvitationCSV.Line, by inviter: Inviter) async throws -> InvitationLineReport {
        do {
            let entry = try line.entry.get()
            let outcome = try await invite(try await invitation(from: entry), by: inviter)
            return InvitationLineReport(number: line.number, email: entry.email.text, result: .success(outcome))
        } catch let error as AppError where error.code != .unavailable {
            return InvitationLineReport(number: line.number, email: line.email, result: .failure(error))
        }
    }

    private func invitation(from entry: InvitationCSV.Entry) async throws -> NewInvitation {
        var teamID: Team.ID?
        if let name = entry.team {
            teamID = try await teams.find(name: name)?.id
            guard teamID != nil else { throw AppError.noSuchTeam }
        }
        return NewInvitation(
            email: entry.email, role: entry.role, teamID: teamID, teamRole: entry.teamRole, locale: entry.locale)
    }
}
