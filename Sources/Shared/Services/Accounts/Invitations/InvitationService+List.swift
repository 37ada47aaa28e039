package import Domain
import Storage

extension InvitationService {
    /// Invites everyone on a list; a rejected line does not affect the others.
    /// - Parameter validateOnly: only reports what inviting would do; sends and stores nothing. It does not know whether
    ///   the caller's or an address's mails of the day are used up. For admins, since the mails limit how many addresses
    ///   a lead can probe.
    /// - Returns: one report per line, in the same order. Once the caller's daily invitations are used up, further
    ///   lines are rejected with `too-many-invitations`.
    /// - Throws: `AppError`: `forbidden`, `unavailable`. A second import of the list reports lines that already
    ///   succeeded as such.
    package func importList(
        _ list: InvitationCSV, validateOnly: Bool = false, by caller: Caller
    ) async throws -> [InvitationLineReport] {
        let inviter = try await inviter(caller)
        guard !validateOnly || inviter.managesEverything else { throw AppError.notAllowed }
        var invited: Set<InvitedMember> = []
        var reports: [InvitationLineReport] = []
        for line in list.lines {
            let report = try await report(on: line) { new in
                guard validateOnly else { return try await invite(new, by: inviter) }
                guard invited.insert(InvitedMember(new)).inserted else { throw AppError.alreadyInvited }
                return try await check(new, by: inviter)
            }
            reports.append(report)
        }
        return reports
    }

    /// What an invitation is unique for.
    private struct InvitedMember: Hashable {
        let foldedEmail: String
        let teamID: Team.ID?

        init(_ new: NewInvitation) {
            foldedEmail = EmailAddress.folded(new.email.text)
            teamID = new.teamID
        }
    }

    private func report(
        on line: InvitationCSV.Line, _ invite: (NewInvitation) async throws -> InvitationOutcome
    ) async throws -> InvitationLineReport {
        do {
            let entry = try line.entry.get()
            let outcome = try await invite(try await invitation(from: entry))
            return InvitationLineReport(number: line.number, email: entry.email.text, result: .success(outcome))
        } catch let error as AppError where error.code != .unavailable {
            return InvitationLineReport(
                number: line.number, email: line.email, result: .failure(error), column: line.column)
        }
    }

    private func invitation(from entry: InvitationCSV.Entry) async throws -> NewInvitation {
        var teamID: Team.ID?
        if let name = entry.team {
            teamID = try await store.read { try $0.team(name: name) }?.id
            guard teamID != nil else { throw AppError.noSuchTeam }
        }
        return NewInvitation(
            email: entry.email, role: entry.role, teamID: teamID, teamRole: entry.teamRole, locale: entry.locale)
    }
}
