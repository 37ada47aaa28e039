package import Domain
import Foundation
package import Storage

extension StoreTransaction {
    /// Stores a new user.
    /// - Throws: `AppError.conflict` (`name-taken`, `email-taken`), case-folded.
    package func add(_ user: User) throws {
        guard try self.user(name: user.name) == nil else { throw AppError.nameTaken }
        guard try self.user(email: user.email) == nil else { throw AppError.emailTaken }
        try insert(user)
    }

    /// Stores the very first admin and uses up the claim. If several calls race, with the same
    /// token or different ones, one succeeds.
    /// - Throws: `AppError.linkExpired` if the claim's token does not exist or there is an admin; `AppError.conflict`
    ///   (`name-taken`, `email-taken`). Then nothing has changed.
    package func addFirstAdmin(
        _ user: User, leading team: Team, claiming claim: TokenClaim, secret: BallotSecret
    ) throws {
        try redeem(claim) { _ in try lockAdmins(except: user.id) == 0 }
        try add(user)
        try add(team, reminders: .ofNewTeam)
        try add(Membership(teamID: team.id, userID: user.id, role: .lead), secret: secret)
    }

    /// Changes only the values set in `update`. Setting `isDisabled` to true ends the user's sessions, and removes
    /// their devices.
    /// - Throws: `AppError.notFound`, also for a default team that the user is not in; `AppError.conflict` (`name-taken`
    ///   or `email-taken` if another user has the name or address, case-folded; `mailbox-in-team` if the mailbox of the
    ///   new address is in one of the user's teams under another account; `changed-meanwhile` if
    ///   `ifPasswordHashIs` is not the stored hash, `ifLocaleIs` not the stored language, `ifRoleIs` not the stored
    ///   role, `ifEmailIs` not the stored address, `ifAdmin` no longer an admin, or the present picture is not the one
    ///   to be replaced). Then nothing has changed. If two admins concurrently take each other's rights, each named by
    ///   `ifAdmin` of their change, one succeeds.
    package func apply(_ update: UserUpdate, to id: User.ID) throws {
        guard let user = try user(id) else { throw AppError.noSuchUser }
        if let claim = update.claim { try redeem(claim) { $0.isValid(for: user) } }
        guard update.isPossible(for: user) else { throw AppError.changedMeanwhile }
        try requireAdmin(update.ifAdmin)
        if let teamID = update.defaultTeamID {
            // Locked, so that a team that is deleted at this moment does not stay anyone's default.
            guard try lock(teamID), try membership(of: id, in: teamID) != nil else { throw AppError.noSuchTeam }
        }
        let updated = user.applying(update)
        if let name = update.name, let owner = try self.user(name: name.text), owner.id != id {
            throw AppError.nameTaken
        }
        if let email = update.email {
            if let owner = try self.user(email: email.address), owner.id != id { throw AppError.emailTaken }
            try changeMailbox(of: user, to: updated, isProven: email.isProven, secret: email.secret)
        }
        try self.update(updated)
        if user.isActiveAdmin, !updated.isActiveAdmin { try requireAdmin(besides: id) }
        switch update.endsSessions {
        case .none: break
        case .all: try endSessions(of: id, except: nil)
        case .allExcept(let kept): try endSessions(of: id, except: kept)
        }
        if update.isDisabled == true {
            try endSessions(of: id, except: nil)
            // Devices of sessions were removed with them; an imported device has no session.
            try deleteDevices(of: id)
        }
        for purpose in update.endsTokens { try deleteTokens(purpose: purpose, subject: id.description) }
        if let job = update.job { try insert([job]) }
        if let deletion = update.deletion { try insert(deletion) }
    }

    /// Removes the user and the data that belongs only to them: memberships with their places in
    /// `memberCount`, sessions, devices, one-time tokens about the user, external identities. Tallies stay unchanged,
    /// and actions assigned to the user lose their assignee. `job` is enqueued, so that slower
    /// removals happen even if a process crashes; the deletion is remembered for restores (`Deletion`); and receipts
    /// for the user's address replace their own (`Receipt`).
    /// - Parameters:
    ///   - picture: the user's present picture, as known to `job`.
    ///   - admin: the administrator who decided, if it is not the user.
    ///   - secret: the key for receipts.
    ///   - job: without a dedupe key. The day on which it is due is that of the deletion.
    ///   - evenIfOthersDepend: deletes the last admin and the last lead of a team, too: a restore repeats deletions
    ///     that were allowed in a later state of the store.
    /// - Throws: `AppError.notFound`; `AppError.conflict`: `changed-meanwhile` if the user's picture is not `picture`,
    ///   or `admin` is disabled or no longer an admin; and if others depend on the user: `last-admin` if no enabled
    ///   admin would be left, `last-lead`, naming the team, if its other members would have no lead. Then nothing has
    ///   changed. If two users of whom one must stay are deleted concurrently, one deletion succeeds; likewise if two
    ///   admins delete each other.
    package func deleteUser(
        _ id: User.ID, ifPictureIs picture: ProfilePicture.ID?, ifAdmin admin: User.ID?, secret: BallotSecret,
        enqueueing job: Job, evenIfOthersDepend: Bool = false
    ) throws {
        try lock(id)
        guard let user = try user(id) else { throw AppError.noSuchUser }
        guard user.picture?.id == picture else { throw AppError.changedMeanwhile }
        try requireAdmin(admin)
        if user.isActiveAdmin, !evenIfOthersDepend { try requireAdmin(besides: id) }
        try leaveTeams(user, requiringLeads: !evenIfOthersDepend, secret: secret)
        try releaseActions(of: id, in: nil)
        try moveReceipts(from: .user(id), to: .address(user.email), in: nil, secret: secret)
        try delete(user)
        try insert([job])
        try insert(Deletion(of: .account(id), on: CalendarDay(instant: job.runAt, in: .gmt), secret: secret))
    }

    /// A read suffices: an admin whose rights are taken locks all others (`requireAdmin(besides:)`), so if two admins
    /// take each other's, the second one finds the change here.
    /// - Throws: `AppError.changedMeanwhile` if this user, if given, is no longer an admin who can log in.
    private func requireAdmin(_ admin: User.ID?) throws {
        guard let admin else { return }
        guard try user(admin)?.isActiveAdmin == true else { throw AppError.changedMeanwhile }
    }

    /// Locks the other admins: if the last two leave concurrently, one stays.
    /// - Throws: `AppError.lastAdmin` if no other admin can log in.
    private func requireAdmin(besides userID: User.ID) throws {
        guard try lockAdmins(except: userID) > 0 else { throw AppError.lastAdmin }
    }

    /// Removes a user who is deleted from all teams.
    /// - Throws: `AppError.lastLead` if a team must have a lead, and its other members would have none.
    private func leaveTeams(_ user: User, requiringLeads: Bool, secret: BallotSecret) throws {
        let memberships = try memberships(of: user.id)
        for membership in memberships {
            try changeMemberCount(of: membership.teamID, by: -1)
            try delete(membership)
            try handOverReceipts(of: user, in: membership.teamID, secret: secret)
        }
        guard requiringLeads else { return }
        let led = try memberships.filter { $0.role == .lead }.compactMap { try team($0.teamID) }
        for team in led.sorted(by: { UserName.folded($0.name) < UserName.folded($1.name) }) {
            guard try team.memberCount == 0 || hasMember(of: team.id, role: .lead) else {
                throw AppError.lastLead(of: team.name)
            }
        }
    }
}

extension AppError {
    /// Without this user nobody could manage the installation.
    static let lastAdmin = AppError(
        .conflict, "You’re the only admin. Please make someone else an admin first.",
        reason: .lastAdmin)

    /// `lastAdmin`, worded for a caller who is not that administrator.
    static let otherIsLastAdmin = AppError(
        .conflict, "This is the only admin. Please make someone else an admin first.",
        reason: .lastAdmin)

    /// Without this user the team's other members would have no lead.
    static func lastLead(of teamName: String) -> AppError {
        AppError(
            .conflict, "You’re the only lead of \(teamName). Please make another member a lead first.",
            reason: .lastLead)
    }

    /// Another user has the name, case-folded.
    package static let nameTaken = AppError(.conflict, "This user name is taken.", reason: .nameTaken)
    /// Another user has the address, case-folded.
    package static let emailTaken = AppError(.conflict, "This e-mail address is taken.", reason: .emailTaken)
}
