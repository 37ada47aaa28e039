import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

@Suite struct InvitationServiceTests {
    @Test(arguments: StoreUnderTest.all)
    func `An admin invites anyone, and a mail is requested`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let admin = try await new.accounts.addUser("Admin", role: .admin)
            let invitation = try #require(try await new.invited(role: .guest, by: .user(admin.id)))
            #expect(invitation.role == .guest)
            #expect(try await new.mails(.invitation).count == 1)
            #expect(try await new.invitations.list(teamID: nil, by: .operator) == [invitation])
            // A stolen session could otherwise get an account of its own with that role, and a password.
            let refused = try await rejection {
                _ = try await new.invited("b@example.org", role: .admin, by: .user(admin.id))
            }
            #expect(refused?.code == .forbidden && refused?.message.contains("change their role") == true)
            let list = try InvitationCSV("email,role\nb@example.org,admin")
            for isCheck in [true, false] {
                let report = try await new.invitations.importList(list, validateOnly: isCheck, by: .user(admin.id))
                #expect(report.map(\.result) == [.failure(.invitesNoAdmin)])
            }
            #expect(try await new.mails(.invitation).count == 1)
            #expect(try await new.invited("b@example.org", role: .admin)?.role == .admin, "the operator may")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A lead invites only into their own team and creates no admins`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (lead, blue) = try await new.makeLead()
            let (_, red) = try await new.makeLead(of: "Red")
            let invitation = try #require(try await new.invited(role: .guest, to: blue, by: lead))
            #expect(invitation.teamID == blue.id)
            #expect(try await rejection { _ = try await new.invited("b@example.org", by: lead) }?.code == .forbidden)
            #expect(
                try await rejection { _ = try await new.invited("b@example.org", to: red, by: lead) }?.code == .notFound
            )
            #expect(
                try await rejection { _ = try await new.invited("b@example.org", role: .admin, to: blue, by: lead) }?
                    .code
                    == .forbidden)
            #expect(try await new.mails(.invitation).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member invites nobody`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (_, team) = try await new.makeLead()
            let member = try await new.accounts.addUser("Member")
            try await new.stores.add(Membership(teamID: team.id, userID: member.id))
            let caller = Caller.user(member.id)
            #expect(try await rejection { _ = try await new.invited(to: team, by: caller) }?.code == .forbidden)
            #expect(
                try await rejection { _ = try await new.invitations.list(teamID: team.id, by: caller) }?.code
                    == .forbidden)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A second invitation for an address to the same team is refused`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            _ = try await new.invited("new@example.org")
            let error = try await rejection { _ = try await new.invited("NEW@example.org") }
            #expect(error?.reason == .alreadyInvited)
            #expect(try await new.mails(.invitation).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An address gets three mails an hour, however they are requested`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            var invitation = try #require(try await new.invited())
            _ = try await new.invitations.resend(invitation.id, by: .operator)
            try await new.invitations.withdraw(invitation.id, by: .operator)
            invitation = try #require(try await new.invited())
            let tooMany = try await rejection { _ = try await new.invitations.resend(invitation.id, by: .operator) }
            #expect(tooMany?.reason == .tooManyMails)
            try await new.invitations.withdraw(invitation.id, by: .operator)
            #expect(try await rejection { _ = try await new.invited() }?.reason == .tooManyMails)
            #expect(try await new.invitations.list(teamID: nil, by: .operator).isEmpty, "one that nobody hears of")
            new.clock.advance(by: InvitationService.mailWindow + 1)
            #expect(try await new.invited() != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Resending notes the day`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let invitation = try #require(try await new.invited())
            new.clock.advance(by: 3 * 86_400)
            let sent = try await new.invitations.resend(invitation.id, by: .operator)
            #expect(sent.sent == CalendarDay(instant: new.clock.now, in: .gmt))
            #expect(try await new.stores.invitation(invitation.id) == sent)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Another team's invitation is not found by a lead`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (blueLead, _) = try await new.makeLead()
            let (redLead, red) = try await new.makeLead(of: "Red")
            let invitation = try #require(try await new.invited(to: red, by: redLead))
            let hidden = try await rejection { try await new.invitations.withdraw(invitation.id, by: blueLead) }
            #expect(hidden?.reason == .noSuchInvitation)
            try await new.invitations.withdraw(invitation.id, by: redLead)
            #expect(try await new.invitations.list(teamID: red.id, by: redLead).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Accepting creates the user with role, team and language`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (lead, team) = try await new.makeLead()
            let invitation = try #require(try await new.invited(role: .guest, to: team, as: .lead, by: lead))
            let token = try await new.token(for: invitation)
            let offer = try await new.invitations.offer(token: token)
            #expect(offer == InvitationOffer(invitation: invitation, teamName: "Blue", account: nil))
            let user = try await new.accept(token)
            #expect(user.role == .guest)
            #expect(user.email == "new@example.org")
            #expect(user.defaultTeamID == team.id)
            #expect(try await new.stores.membership(of: user.id, in: team.id)?.role == .lead)
            #expect(try await new.stores.invitation(invitation.id) == nil)
            #expect(try await new.accounts.logIn("newcomer", password: NewAccounts.password).user.id == user.id)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A refused name or password leaves the link as it was`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.accounts.addUser("Anna")
            let invitation = try #require(try await new.invited())
            let token = try await new.token(for: invitation)
            let cases: [(name: String?, password: String?, reason: AppError.Reason)] = [
                (nil, NewAccounts.password, .accountNeeded), ("Newcomer", nil, .accountNeeded),
                ("anna", NewAccounts.password, .nameTaken), ("a@b", NewAccounts.password, .refused),
                ("Newcomer", "short", .passwordTooShort), ("Newcomer", "new@example.org", .passwordIsOwnName),
            ]
            for (name, password, reason) in cases {
                let error = try await rejection {
                    _ = try await new.invitations.accept(token: token, name: name, password: password)
                }
                #expect(error?.reason == reason)
            }
            _ = try await new.invitations.accept(token: token, name: "Newcomer", password: NewAccounts.password)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two acceptances at the same moment, one wins`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let invitation = try #require(try await new.invited())
            // One in each of two mails: both are valid until one is used.
            let tokens = [try await new.token(for: invitation), try await new.token(for: invitation)]
            let invitations = new.invitations
            let reasons = try await withThrowingTaskGroup(of: AppError.Reason?.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        try await rejection {
                            _ = try await invitations.accept(
                                token: tokens[number % 2], name: "Newcomer\(number)", password: NewAccounts.password)
                        }?.reason
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reasons.filter { $0 == nil }.count == 1)
            #expect(reasons.allSatisfy { [nil, .linkExpired, .emailTaken].contains($0) })
            #expect(try await new.accounts.users.list(by: .operator).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `When two people take one name at once, the other keeps their link`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            var tokens: [String] = []
            for address in ["a@example.org", "b@example.org"] {
                tokens.append(try await new.token(for: #require(try await new.invited(address))))
            }
            let invitations = new.invitations
            var losers: [String] = []
            try await withThrowingTaskGroup(of: String?.self) { group in
                for token in tokens {
                    group.addTask {
                        let error = try await rejection {
                            _ = try await invitations.accept(token: token, name: "Sam", password: NewAccounts.password)
                        }
                        return error.map { _ in token }
                    }
                }
                for try await loser in group { losers += [loser].compactMap(\.self) }
            }
            #expect(losers.count == 1)
            _ = try await invitations.accept(
                token: try #require(losers.first), name: "Samuel", password: NewAccounts.password)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Withdrawn, expired and invented links are invalid`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let withdrawn = try #require(try await new.invited("a@example.org"))
            let expired = try #require(try await new.invited("b@example.org"))
            let tokens = [try await new.token(for: withdrawn), try await new.token(for: expired), "made-up"]
            try await new.invitations.withdraw(withdrawn.id, by: .operator)
            new.clock.advance(by: OneTimeToken.Purpose.invitation.lifetime)
            // The worker may have been rendering the mail while the invitation was withdrawn.
            for token in tokens + [try await new.token(for: withdrawn)] {
                #expect(try await rejection { _ = try await new.invitations.offer(token: token) } == .linkExpired)
                let error = try await rejection {
                    _ = try await new.invitations.accept(token: token, name: "X", password: NewAccounts.password)
                }
                #expect(error == .linkExpired)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A list reports on each line, and an invalid one harms no other`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (lead, blue) = try await new.makeLead()
            _ = try await new.makeLead(of: "Red")
            let anna = try await new.accounts.addUser("Anna")
            try await new.stores.add(Membership(teamID: blue.id, userID: anna.id))
            try await new.accounts.addUser("Berta")
            let list = try InvitationCSV(
                """
                email,role,team,teamRole,locale
                one@example.org,member,blue,lead,de
                not an address,member,Blue,,
                anna@example.org,,Blue,,
                berta@example.org,,Blue,,
                two@example.org,admin,Blue,,
                three@example.org,,Red,,
                ONE@example.org,,Blue,,
                four@example.org,,Green,,
                five@example.org,guest,Blue,,en
                """)
            let reports = try await new.invitations.importList(list, by: lead)
            let words = reports.map { report in
                switch report.result {
                case .success(.invited): "invited"
                case .success(.alreadyAMember): "member"
                case .success(.alreadyAUser): "already"
                case .failure(let error): error.reason.rawValue
                }
            }
            #expect(
                words == [
                    "invited", "malformed", "member", "invited", "not-allowed", "no-such-team", "already-invited",
                    "no-such-team", "invited",
                ])
            #expect(reports.map(\.number) == Array(2...10))
            #expect(try await new.mails(.invitation).count == 3)
            let one = try await new.stores.read {
                try $0.invitations(teamID: nil, inviterID: nil, after: nil, limit: 10)
            }.last
            #expect(one?.locale == "de")
            #expect(one?.teamRole == .lead)
        }
    }
}
