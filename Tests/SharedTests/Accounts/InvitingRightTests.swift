import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// Who may invite, and whether they still may when the invitation is accepted.
@Suite struct InvitingRightTests {
    @Test(arguments: StoreUnderTest.all)
    func `Nobody invites themselves into a team of others`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (_, team) = try await new.makeLead()
            let admin = try await new.accounts.addUser("Admin", role: .admin)
            let error = try await rejection {
                _ = try await new.invited("ADMIN@example.org", to: team, as: .lead, by: .user(admin.id))
            }
            #expect(error?.code == .unprocessable)
            #expect(error?.reason == .ownInvitation)
            // Nor by resending another user's invitation.
            let invitation = try #require(try await new.invited("admin@example.org", to: team))
            let again = try await rejection {
                _ = try await new.invitations.resend(invitation.id, by: .user(admin.id))
            }
            #expect(again?.reason == .ownInvitation)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An address that became the inviter's own lets nobody in`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (_, team) = try await new.makeLead()
            let admin = try await new.accounts.addUser("Admin", role: .admin)
            let token = try await new.token(
                for: #require(try await new.invited("second@example.org", to: team, by: .user(admin.id))))
            try await new.stores.update(id: admin.id, UserUpdate(email: "second@example.org"))
            #expect(try await rejection { try await new.accept(token) }?.reason == .ownInvitation)
            #expect(try await new.stores.membership(of: admin.id, in: team.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An admin may be the first lead of a team without members`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let admin = try await new.accounts.addUser("Admin", role: .admin)
            let team = try await new.accounts.teams.add(name: "Empty", by: .operator)
            func invite() async throws -> String {
                let invitation = try await new.invited(
                    "admin@example.org", to: team, as: .lead, by: .user(admin.id))
                return try await new.token(for: #require(invitation))
            }
            let token = try await invite()
            let other = try await new.accounts.addUser("Other")
            try await new.stores.add(Membership(teamID: team.id, userID: other.id))
            #expect(try await rejection { try await new.accept(token) }?.reason == .ownInvitation)
            try await new.stores.remove(userID: other.id, from: team.id)
            try await new.accept(token)
            #expect(try await new.stores.membership(of: admin.id, in: team.id)?.role == .lead)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An admin cannot empty a team to become its first lead`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let admin = Caller.user(try await new.accounts.addUser("Admin", role: .admin).id)
            let lead = try await new.accounts.addUser("Lead")
            let team = try await new.accounts.teams.add(name: "Blue", by: .operator)
            let early = try await new.token(
                for: #require(try await new.invited("admin@example.org", to: team, as: .lead, by: admin)))
            try await new.stores.add(Membership(teamID: team.id, userID: lead.id, role: .lead))
            let made = ActionSprint(start: TestTeam.firstMonday, label: SprintLabel(year: 2026, number: 1))
            try await new.stores.insert(
                Action(teamID: team.id, content: ActionContent(title: "Tea"), made: made), at: .last)
            let removal = try await rejection {
                try await new.accounts.teams.removeMember(lead.id, from: team.id, by: admin)
            }
            #expect(removal?.reason == .onlyLead)
            // The only member may leave, and the team's history stays protected.
            try await new.accounts.teams.removeMember(lead.id, from: team.id, by: .user(lead.id))
            #expect(try await new.stores.team(team.id)?.memberCount == 0)
            let again = try await rejection {
                _ = try await new.invited("admin@example.org", to: team, as: .lead, by: admin)
            }
            #expect(again?.reason == .ownInvitation)
            #expect(
                try await rejection { _ = try await new.invitations.offer(token: early) }?.reason == .ownInvitation)
            #expect(try await rejection { try await new.accept(early) }?.reason == .ownInvitation)
            #expect(try await new.stores.members(of: team.id).isEmpty)
            // Another lead can be invited.
            #expect(try await new.invited("next@example.org", to: team, as: .lead, by: admin) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A lead who is a guest here invites guests as members`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let team = try await new.accounts.teams.add(name: "Blue", by: .operator)
            let lead = try await new.accounts.addUser("Lead", role: .guest)
            try await new.stores.add(Membership(teamID: team.id, userID: lead.id, role: .lead))
            let caller = Caller.user(lead.id)
            #expect(try await new.invited("a@example.org", role: .guest, to: team, by: caller) != nil)
            let beyond: [(User.Role, Membership.Role)] = [
                (.member, .member), (.guest, .lead), (.admin, .member), (.member, .lead),
            ]
            for (role, teamRole) in beyond {
                let error = try await rejection {
                    _ = try await new.invited("b@example.org", role: role, to: team, as: teamRole, by: caller)
                }
                #expect(error?.reason == .notAllowed)
            }
            // Nor can they resend other users' invitations.
            let others = try #require(try await new.invited("c@example.org", role: .member, to: team))
            let again = try await rejection { _ = try await new.invitations.resend(others.id, by: caller) }
            #expect(again?.reason == .noSuchInvitation)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A lead who is a guest here learns no address of others`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (caller, team) = try await new.makeLead()
            let (guest, member) = (
                try await new.accounts.addUser("Guest", role: .guest), try await new.accounts.addUser("Member")
            )
            try await new.stores.add(Membership(teamID: team.id, userID: guest.id, role: .lead))
            try await new.stores.add(Membership(teamID: team.id, userID: member.id))
            let own = Caller.user(guest.id)
            let theirs = try #require(try await new.invited("a@example.org", role: .guest, to: team, by: caller))

            // It makes no difference whether the user is in the team.
            var mine: [Invitation] = []
            for email in ["member@example.org", "stranger@example.org"] {
                mine.append(try #require(try await new.invited(email, role: .guest, to: team, by: own)))
                let again = try await rejection {
                    _ = try await new.invited(email, role: .guest, to: team, by: own)
                }
                #expect(again?.reason == .alreadyInvited)
            }
            #expect(try await new.invitations.list(teamID: team.id, by: own) == mine)
            #expect(
                try await new.invitations.list(
                    teamID: team.id, after: Invitation.Position(mine[0]), limit: 5, by: own) == [mine[1]])
            #expect(try await new.invitations.list(teamID: team.id, by: caller) == [theirs] + mine)

            let withdrawal = try await rejection { try await new.invitations.withdraw(theirs.id, by: own) }
            #expect(withdrawal?.reason == .noSuchInvitation)
            for invitation in mine { try await new.invitations.withdraw(invitation.id, by: own) }
            #expect(try await new.invitations.list(teamID: team.id, by: caller) == [theirs])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member whom a guest invites again keeps their role`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (caller, team) = try await new.makeLead()
            let guest = try await new.accounts.addUser("Guest", role: .guest)
            try await new.stores.add(Membership(teamID: team.id, userID: guest.id, role: .lead))
            let lead = try #require(try await new.stores.user(login: "Lead-Blue"))
            let invitation = try await new.invited(lead.email, role: .guest, to: team, by: .user(guest.id))
            try await new.accept(try await new.token(for: #require(invitation)), as: nil, password: nil)
            #expect(caller == .user(lead.id))
            #expect(try await new.stores.membership(of: lead.id, in: team.id)?.role == .lead)
            #expect(try await new.stores.user(lead.id)?.role == .member)
            #expect(try await new.stores.team(team.id)?.memberCount == 2)
        }
    }

    /// How a lead loses the right to invite.
    enum Loss: CaseIterable {
        case team, disabled, becameGuest, account
    }

    @Test(arguments: StoreUnderTest.all, Loss.allCases)
    func `Links are invalid once their author may no longer invite`(store: StoreUnderTest, loss: Loss) async throws {
        try await NewAccounts.with(store) { new in
            let team = try await new.accounts.teams.add(name: "Blue", by: .operator)
            let lead = try await new.accounts.addUser("Lead")
            try await new.stores.add(Membership(teamID: team.id, userID: lead.id, role: .lead))
            let invitation = try #require(try await new.invited(to: team, by: .user(lead.id)))
            let token = try await new.token(for: invitation)
            switch loss {
            case .team: try await new.stores.remove(userID: lead.id, from: team.id)
            case .disabled: try await new.stores.update(id: lead.id, UserUpdate(isDisabled: true))
            case .becameGuest: try await new.stores.update(id: lead.id, UserUpdate(role: .guest))
            case .account: try await new.stores.delete(id: lead.id)
            }
            #expect(try await rejection { _ = try await new.invitations.offer(token: token) } == .linkExpired)
            #expect(try await rejection { try await new.accept(token) } == .linkExpired)
            #expect(try await new.stores.user(login: "new@example.org") == nil)
            // Another user with the right can take over.
            _ = try await new.invitations.resend(invitation.id, by: .operator)
            try await new.accept(token)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An invitation is valid for thirty days after it was last sent`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let invitation = try #require(try await new.invited())
            let day = 86_400.0
            new.clock.advance(by: Double(Invitation.lifetime) * day)
            // A mail may be delayed: the link itself has not expired.
            let token = try await new.token(for: invitation)
            _ = try await new.invitations.offer(token: token)
            new.clock.advance(by: day)
            #expect(try await rejection { _ = try await new.invitations.offer(token: token) } == .linkExpired)
            #expect(try await rejection { try await new.accept(token) } == .linkExpired)
            _ = try await new.invitations.resend(invitation.id, by: .operator)
            try await new.accept(token)
        }
    }

    @Test(.thorough, arguments: StoreUnderTest.all)
    func `A user invites two hundred people a day, and a list says which ones are too many`(
        store: StoreUnderTest
    ) async throws {
        try await NewAccounts.with(store) { new in
            let admin = try await new.accounts.addUser("Admin", role: .admin)
            let lines = (1...InvitationService.inviterLimit + 2).map { "p\($0)@example.org" }
            let list = try InvitationCSV((["email"] + lines).joined(separator: "\n"))
            let reports = try await new.invitations.importList(list, by: .user(admin.id))
            let reasons = reports.map { report -> AppError.Reason? in
                if case .failure(let error) = report.result { error.reason } else { nil }
            }
            #expect(reasons.prefix(InvitationService.inviterLimit).allSatisfy { $0 == nil })
            #expect(reasons.suffix(2) == [.tooManyInvitations, .tooManyInvitations])
            #expect(try await new.mails(.invitation).count == InvitationService.inviterLimit)

            let error = try await rejection { _ = try await new.invited("more@example.org", by: .user(admin.id)) }
            #expect(error?.code == .tooManyRequests)
            #expect(error?.retryAfter == 86_400)
            #expect(try await new.stores.read { try $0.invitations(email: "more@example.org") }.isEmpty)
            #expect(try await new.invited("more@example.org") != nil, "the operator has no quota")
            new.clock.advance(by: InvitationService.inviterWindow + 1)
            #expect(try await new.invited("evenmore@example.org", by: .user(admin.id)) != nil)
        }
    }

    @Test(arguments: ["http://evil.example", "see https\u{FF1A}\u{FF0F}\u{FF0F}evil"])
    func `A name is no web address`(name: String) {
        #expect(throws: AppError.self) { try UserName(name) }
        #expect(throws: AppError.self) { try TeamName(name) }
    }
}
