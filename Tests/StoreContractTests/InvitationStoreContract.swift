import Foundation
import Shared
import TestSupport
import Testing

@Suite struct InvitationStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func anInvitationIsFoundAsInserted(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let full = try Invitation.fixture("Anna@Example.org", teamID: team.id)
            let bare = try Invitation.fixture("berta@example.org")
            for invitation in [full, bare] {
                try await stores.invitations.insert(invitation)
                #expect(try await stores.invitations.find(id: invitation.id) == invitation)
            }
            #expect(try await stores.invitations.find(id: .random()) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func anAddressHasOneInvitationInAnyCase(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let first = try Invitation.fixture("anna@example.org")
            try await stores.invitations.insert(first)
            let second = try Invitation.fixture("ANNA@Example.ORG")
            await expectRefusal(.conflict, reason: "already-invited") {
                try await stores.invitations.insert(second)
            }
            #expect(try await stores.invitations.delete(id: first.id))
            try await stores.invitations.insert(second)
            #expect(try await stores.invitations.list(teamID: nil, after: nil, limit: 9) == [second])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func ofManyWhoInviteAnAddressAtOnceOneDoes(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let inserted = try await concurrently(20) { number in
                do {
                    let email = number.isMultiple(of: 2) ? "anna@example.org" : "Anna@Example.org"
                    try await stores.invitations.insert(try Invitation.fixture(email))
                    return true
                } catch let error as AppError {
                    #expect(error.reason == "already-invited")
                    return false
                }
            }
            #expect(inserted.count(where: { $0 }) == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func invitationsAreListedByFoldedAddressInPagesForATeamOrAll(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            for (email, teamID) in [
                ("berta@example.org", nil), ("Anna@example.org", team.id), ("DORA@example.org", team.id),
                ("carl@example.org", team.id),
            ] {
                try await stores.invitations.insert(try Invitation.fixture(email, teamID: teamID))
            }
            func names(_ teamID: Team.ID?, after: String? = nil, limit: Int) async throws -> [String] {
                try await stores.invitations.list(teamID: teamID, after: after, limit: limit)
                    .map { $0.email.prefix { $0 != "@" }.description }
            }
            #expect(try await names(nil, limit: 3) == ["Anna", "berta", "carl"])
            #expect(try await names(nil, after: "carl@example.org", limit: 3) == ["DORA"])
            #expect(try await names(team.id, limit: 2) == ["Anna", "carl"])
            #expect(try await names(team.id, after: "carl@example.org", limit: 2) == ["DORA"])
            #expect(try await names(.random(), limit: 2).isEmpty)
            #expect(try await names(nil, limit: 0).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func theDayAnInvitationWasSentAgainIsNoted(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var invitation = try Invitation.fixture("anna@example.org")
            try await stores.invitations.insert(invitation)
            invitation.sent = try #require(CalendarDay("2026-02-01"))
            try await stores.invitations.setSent(id: invitation.id, invitation.sent)
            #expect(try await stores.invitations.find(id: invitation.id) == invitation)
            let day = invitation.sent
            await expectRefusal(.notFound) { try await stores.invitations.setSent(id: .random(), day) }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func ofManyWhoDeleteAnInvitationAtOnceOneDoes(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let invitation = try Invitation.fixture("anna@example.org")
            try await stores.invitations.insert(invitation)
            let deleted = try await concurrently(10) { _ in
                try await stores.invitations.delete(id: invitation.id)
            }
            #expect(deleted.count(where: { $0 }) == 1)
            #expect(try await stores.invitations.find(id: invitation.id) == nil)
        }
    }
}

extension Invitation {
    fileprivate static func fixture(_ email: String, teamID: Team.ID? = nil) throws -> Invitation {
        Invitation(
            email: email, role: .guest, teamID: teamID, teamRole: teamID == nil ? .member : .lead, locale: "de",
            sent: try #require(CalendarDay("2026-01-08")))
    }
}
