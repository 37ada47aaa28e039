import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct InvitationStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `An invitation is found as inserted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let full = try Invitation.fixture("Anna@Example.org", teamID: team.id)
            let bare = try Invitation.fixture("berta@example.org")
            for invitation in [full, bare] {
                try await stores.insert(invitation)
                #expect(try await stores.invitation(invitation.id) == invitation)
            }
            #expect(try await stores.read { try $0.invitation(.random()) } == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An address has one invitation per team and one without a team, in any case`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let teams: [Team.ID?] = [nil, try await stores.makeTeam().id, try await stores.makeTeam().id]
            var invitations: [Invitation] = []
            for teamID in teams {
                let first = try Invitation.fixture("anna@example.org", teamID: teamID)
                try await stores.insert(first)
                let second = try Invitation.fixture("ANNA@Example.ORG", teamID: teamID)
                await expectRejection(.conflict, reason: .alreadyInvited) {
                    try await stores.insert(second)
                }
                #expect(try await stores.write { try $0.deleteInvitation(first.id) })
                try await stores.insert(second)
                invitations.append(second)
            }
            let found = try await stores.read { try $0.invitations(email: "Anna@example.org") }
            #expect(found == invitations.sorted { $0.id < $1.id })
            #expect(try await stores.read { try $0.invitations(email: "nna@example.org") }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who invite an address at once, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let inserted = try await concurrently(20) { number in
                do {
                    let email = number.isMultiple(of: 2) ? "anna@example.org" : "Anna@Example.org"
                    try await stores.insert(try Invitation.fixture(email))
                    return true
                } catch let error as AppError {
                    #expect(error.reason == .alreadyInvited)
                    return false
                }
            }
            #expect(inserted.count(where: { $0 }) == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Invitations are listed by folded address in pages, for one team or all`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            for (email, teamID) in [
                ("berta@example.org", nil), ("Anna@example.org", team.id), ("DORA@example.org", team.id),
                ("carl@example.org", team.id), ("Carl@example.org", nil),
            ] {
                try await stores.insert(try Invitation.fixture(email, teamID: teamID))
            }
            func pages(of teamID: Team.ID?, limit: Int) async throws -> [[String]] {
                var pages: [[String]] = []
                var last: Invitation.Position?
                repeat {
                    let page = try await stores.read { [last] rows in
                        try rows.invitations(teamID: teamID, inviterID: nil, after: last, limit: limit)
                    }
                    if !page.isEmpty { pages.append(page.map { EmailAddress.folded($0.email).prefix(1).description }) }
                    last = page.last.map(Invitation.Position.init)
                } while last != nil
                return pages
            }
            // A page may end between two invitations of the same address.
            #expect(try await pages(of: nil, limit: 3) == [["a", "b", "c"], ["c", "d"]])
            #expect(try await pages(of: team.id, limit: 2) == [["a", "c"], ["d"]])
            #expect(try await pages(of: .random(), limit: 2).isEmpty)
            #expect(try await pages(of: nil, limit: 0).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `One inviter's invitations are listed by themselves`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, inviter) = (try await stores.makeTeam(), User.ID.random())
            let other = try await stores.makeTeam("other")
            var own: [Invitation] = []
            for (email, teamID, inviterID) in [
                ("carl@example.org", team.id, inviter), ("Anna@example.org", team.id, inviter),
                ("berta@example.org", team.id, User.ID.random()), ("dora@example.org", other.id, inviter),
            ] {
                let invitation = try Invitation.fixture(email, teamID: teamID)
                try await stores.insert(invitation)
                try await stores.transaction { [invitation] rows in
                    try rows.setSent(invitation.sent, of: invitation.id, by: inviterID)
                }
                let stored = try #require(
                    try await stores.invitation(invitation.id))
                if inviterID == inviter { own.append(stored) }
            }
            let (carl, anna, dora) = (own[0], own[1], own[2])
            func list(_ teamID: Team.ID?, after: Invitation? = nil, limit: Int = 10) async throws -> [Invitation] {
                try await stores.read {
                    try $0.invitations(
                        teamID: teamID, inviterID: inviter, after: after.map(Invitation.Position.init), limit: limit)
                }
            }
            #expect(try await list(team.id) == [anna, carl])
            #expect(try await list(nil) == [anna, carl, dora])
            #expect(try await list(team.id, limit: 1) == [anna])
            #expect(try await list(team.id, after: anna) == [carl])
        }
    }

    @Test func `A position in a list survives being handed to a client`() throws {
        let place = Invitation.Position(try .fixture("Odd:one|+x@example.org"))
        #expect(Invitation.Position(place.description) == place)
        for text in ["", "anna@example.org", ":anna@example.org", "\(Team.ID.random())"] {
            #expect(Invitation.Position(text) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A repeated invitation records its day and its sender`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var invitation = try Invitation.fixture("anna@example.org")
            try await stores.insert(invitation)
            for inviterID in [User.ID.random(), nil] {
                invitation.sent = invitation.sent.adding(days: 20)
                invitation.inviterID = inviterID
                try await stores.transaction { [invitation] rows in
                    try rows.setSent(invitation.sent, of: invitation.id, by: inviterID)
                }
                #expect(try await stores.invitation(invitation.id) == invitation)
                if let inviterID {
                    #expect(try await stores.read { try $0.invitations(by: inviterID) } == [invitation])
                }
            }
            let day = invitation.sent
            await expectRejection(.notFound, reason: .noSuchInvitation) {
                try await stores.transaction { try $0.setSent(day, of: .random(), by: nil) }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Invitations sent before a day are removed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let invitation = try Invitation.fixture("anna@example.org")
            try await stores.insert(invitation)
            try await stores.write { [invitation] rows in try rows.deleteExpiredInvitations(before: invitation.sent) }
            #expect(try await stores.invitation(invitation.id) != nil)
            try await stores.write { [invitation] rows in
                try rows.deleteExpiredInvitations(before: invitation.sent.adding(days: 1))
            }
            #expect(try await stores.invitation(invitation.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who delete an invitation at once, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let invitation = try Invitation.fixture("anna@example.org")
            try await stores.insert(invitation)
            let deleted = try await concurrently(10) { _ in
                try await stores.write { [invitation] rows in try rows.deleteInvitation(invitation.id) }
            }
            #expect(deleted.count(where: { $0 }) == 1)
            #expect(try await stores.invitation(invitation.id) == nil)
        }
    }
}

extension Invitation {
    fileprivate static func fixture(_ email: String, teamID: Team.ID? = nil) throws -> Invitation {
        Invitation(
            email: email, role: .guest, teamID: teamID, teamRole: teamID == nil ? .member : .lead, locale: "de",
            inviterID: teamID == nil ? nil : .random(), sent: try #require(CalendarDay("2026-01-08")))
    }
}
