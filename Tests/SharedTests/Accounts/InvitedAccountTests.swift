import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// Invitations to users who have an account: they only join if they accept.
@Suite struct InvitedAccountTests {
    @Test(arguments: StoreUnderTest.all)
    func `An address with an account gets the same answer, and nobody is added unasked`(
        store: StoreUnderTest
    ) async throws {
        try await NewAccounts.with(store) { new in
            let (lead, team) = try await new.makeLead()
            let anna = try await new.accounts.addUser("Anna")
            for address in ["ANNA@example.org", "nobody@example.org"] {
                let invitation = try #require(try await new.invited(address, to: team, by: lead))
                #expect(invitation.email == address)
            }
            #expect(try await new.mails(.invitation).count == 2)
            #expect(try await new.stores.membership(of: anna.id, in: team.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The link to an account's address joins the team and changes nothing else`(
        store: StoreUnderTest
    ) async throws {
        try await NewAccounts.with(store) { new in
            let (lead, team) = try await new.makeLead()
            let anna = try await new.accounts.addUser("Anna", role: .guest)
            let invitation = try #require(
                try await new.invited("anna@example.org", role: .member, to: team, as: .lead, by: lead))
            let token = try await new.token(for: invitation)
            let offer = try await new.invitations.offer(token: token)
            #expect(offer.account == InvitationOffer.Account(name: "Anna", locale: anna.locale))
            #expect(offer.teamName == "Blue")
            // Fields for a new account are ignored.
            let accepted = try await new.invitations.accept(token: token, name: "Other", password: "x")
            #expect(!accepted.isNewAccount)
            #expect(accepted.user.id == anna.id)
            #expect(accepted.user.name == "Anna" && accepted.user.role == .guest)
            #expect(accepted.user.defaultTeamID == team.id)
            #expect(try await new.stores.membership(of: anna.id, in: team.id)?.role == .lead)
            #expect(try await new.stores.team(team.id)?.memberCount == 2)
            #expect(try await new.accounts.logIn("Anna").user.id == anna.id)
            #expect(try await rejection { _ = try await new.invitations.offer(token: token) } == .linkExpired)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `There is no reason to invite an existing member`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (lead, team) = try await new.makeLead()
            let anna = try await new.accounts.addUser("Anna")
            try await new.stores.add(Membership(teamID: team.id, userID: anna.id))
            let email = try EmailAddress("anna@example.org")
            let again = NewInvitation(email: email, teamID: team.id, teamRole: .lead)
            #expect(try await new.invitations.invite(again, by: lead) == .alreadyAMember)
            #expect(try await new.invitations.invite(NewInvitation(email: email), by: .operator) == .alreadyAUser)
            #expect(try await new.mails(.invitation).isEmpty)
            #expect(try await new.stores.membership(of: anna.id, in: team.id)?.role == .member)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An account created in the meantime joins or hears that it exists`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (lead, team) = try await new.makeLead()
            let joining = try await new.token(
                for: #require(try await new.invited("anna@example.org", to: team, by: lead)))
            let bare = try await new.token(for: #require(try await new.invited("anna@example.org")))
            let anna = try await new.accounts.addUser("Anna")
            #expect(try await rejection { _ = try await new.invitations.offer(token: bare) }?.reason == .emailTaken)
            #expect(try await new.accept(joining).id == anna.id)
            #expect(try await new.stores.membership(of: anna.id, in: team.id) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A disabled account does not join`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (lead, team) = try await new.makeLead()
            let anna = try await new.accounts.addUser("Anna")
            let token = try await new.token(
                for: #require(try await new.invited("anna@example.org", to: team, by: lead)))
            try await new.accounts.users.setDisabled(true, of: anna.id, by: .operator)
            #expect(try await rejection { _ = try await new.invitations.offer(token: token) }?.code == .forbidden)
            #expect(try await rejection { try await new.accept(token) }?.reason == .accountDisabled)
            #expect(try await new.stores.membership(of: anna.id, in: team.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `One team's invitation neither blocks nor reveals another's`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            let (blueLead, blue) = try await new.makeLead()
            let (redLead, red) = try await new.makeLead(of: "Red")
            let anna = try await new.accounts.addUser("Anna")
            let first = try #require(try await new.invited("anna@example.org", to: blue, by: blueLead))
            let second = try #require(try await new.invited("Anna@example.org", to: red, by: redLead))
            #expect(try await new.invitations.list(teamID: red.id, by: redLead) == [second])
            let tokens = [try await new.token(for: first), try await new.token(for: second)]
            for token in tokens { try await new.accept(token, as: nil, password: nil) }
            #expect(try await new.stores.read { try $0.teams(of: anna.id) }.map(\.team.name) == ["Blue", "Red"])
        }
    }
}
