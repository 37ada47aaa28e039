import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Accepting an invitation: one transaction over link, invitation, account and membership.
@Suite struct InvitationAcceptanceContract {
    @Test(arguments: StoreUnderTest.all)
    func `Accepting adds account and membership and removes links and invitation`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let invited = try await stores.makeInvitation(into: team, as: .lead, links: 2)
            let accepted = try await stores.accept(invited.tokens[0], as: "Newcomer")
            #expect(accepted.isNewAccount)
            #expect(accepted.teamID == team.id)
            let user = try #require(try await stores.user(login: "newcomer"))
            #expect(user == accepted.user)
            #expect(user.email == invited.invitation.email)
            #expect(user.role == .guest && user.language == .chosen(.german) && user.passwordHash == "$2b$12$x")
            #expect(user.createdOn == CalendarDay(instant: Instants.now, in: .gmt))
            #expect(user.defaultTeamID == team.id)
            #expect(try await stores.membership(of: user.id, in: team.id)?.role == .lead)
            #expect(try await stores.current(team).memberCount == 1)
            #expect(try await stores.read { try $0.invitation(invited.invitation.id) } == nil)
            #expect(try await stores.read { try $0.tokens(of: invited.invitation.id.description) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An existing account is kept as it is and joins`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (home, team) = (try await stores.makeTeam(), try await stores.makeTeam())
            let user = try await stores.makeUser()
            try await stores.add(Membership(teamID: home.id, userID: user.id))
            let before = try await stores.user(user.id)
            let invited = try await stores.makeInvitation(to: user.email, into: team)
            let accepted = try await stores.accept(invited.tokens[0], as: nil)
            #expect(!accepted.isNewAccount)
            #expect(accepted.user == before)
            #expect(try await stores.user(user.id) == before)
            #expect(try await stores.current(team).memberCount == 1)
            #expect(try await stores.membership(of: user.id, in: team.id)?.role == .member)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member keeps their role and is counted once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let user = try await stores.makeUser()
            let invited = try await stores.makeInvitation(to: user.email, into: team, as: .lead)
            try await stores.add(Membership(teamID: team.id, userID: user.id))
            let accepted = try await stores.accept(invited.tokens[0], as: nil)
            #expect(accepted.teamID == nil)
            #expect(try await stores.current(team).memberCount == 1)
            #expect(try await stores.membership(of: user.id, in: team.id)?.role == .member)
            #expect(try await stores.read { try $0.invitation(invited.invitation.id) } == nil)
        }
    }

    /// Facts that prevent a user from accepting.
    enum Obstacle: String, CaseIterable {
        case nameTaken, accountNeeded, expired, otherAddress, inviterLeft, inviterGone, withdrawn

        var reason: AppError.Reason {
            switch self {
            case .nameTaken: .nameTaken
            case .accountNeeded: .accountNeeded
            default: .linkExpired
            }
        }
    }

    @Test(arguments: StoreUnderTest.all, Obstacle.allCases)
    func `A refusal changes nothing`(kind: StoreUnderTest, obstacle: Obstacle) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let lead = try await stores.makeUser("lead")
            try await stores.add(Membership(teamID: team.id, userID: lead.id, role: .lead))
            let invited = try await stores.makeInvitation(
                into: team, by: lead, links: 2, linksTo: obstacle == .otherAddress ? "x@example.org" : nil)
            var now = Instants.now
            switch obstacle {
            case .nameTaken, .accountNeeded, .otherAddress: break
            case .expired: now += Double(Invitation.lifetime + 1) * Instants.day
            case .inviterLeft: try await stores.remove(userID: lead.id, from: team.id)
            case .inviterGone: try await stores.delete(id: lead.id)
            case .withdrawn: #expect(try await stores.write { try $0.deleteInvitation(invited.invitation.id) })
            }
            let members = try await stores.current(team).memberCount
            let name: String? =
                switch obstacle {
                case .nameTaken: "LEAD"
                case .accountNeeded: nil
                default: "Newcomer"
                }
            let instant = now
            await expectRejection(obstacle == .nameTaken ? .conflict : .unprocessable, reason: obstacle.reason) {
                _ = try await stores.accept(invited.tokens[0], as: name, at: instant)
            }
            #expect(try await stores.user(login: invited.invitation.email) == nil)
            #expect(try await stores.current(team).memberCount == members)
            #expect(try await stores.read { try $0.tokens(of: invited.invitation.id.description) }.count == 2)
            let exists = try await stores.read { try $0.invitation(invited.invitation.id) } != nil
            #expect(exists == (obstacle != .withdrawn))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who use an invitation's links at once, one is let in`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let invited = try await stores.makeInvitation(into: team, links: 3)
            let reasons = try await concurrently(15) { number in
                try await stores.refusalOfAcceptance(invited.tokens[number % 3], as: "Newcomer\(number)")
            }
            #expect(reasons.count(where: { $0 == nil }) == 1)
            #expect(reasons.allSatisfy { $0 == nil || $0 == .linkExpired })
            #expect(try await stores.current(team).memberCount == 1)
            #expect(try await stores.users(after: nil, limit: 20).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An invitation withdrawn at the same moment gives no account`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            for round in 0..<8 {
                let invited = try await stores.makeInvitation(to: "p\(round)@example.org", into: team)
                let ends = try await concurrently(2) { number in
                    if number == 0 { return try await stores.write { try $0.deleteInvitation(invited.invitation.id) } }
                    return try await stores.refusalOfAcceptance(invited.tokens[0], as: "P\(round)") == nil
                }
                #expect(ends.count(where: { $0 }) == 1, "one of the two wins")
                let user = try await stores.user(login: "p\(round)@example.org")
                let members = try await stores.members(of: team.id)
                #expect((user != nil) == members.contains { $0.userID == user?.id })
            }
            let members = try await stores.members(of: team.id)
            #expect(try await stores.current(team).memberCount == members.count)
            #expect(try await stores.users(after: nil, limit: 20).count == members.count)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who choose one name at once, the others keep their link`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            var made: [String] = []
            for number in 0..<6 {
                made += try await stores.makeInvitation(to: "p\(number)@example.org", into: team).tokens
            }
            let tokens = made
            let losers = try await concurrently(tokens.count) { number in
                let reason = try await stores.refusalOfAcceptance(tokens[number], as: "Sam")
                #expect(reason == nil || reason == .nameTaken)
                return reason.map { _ in tokens[number] }
            }.compactMap(\.self)
            #expect(losers.count == tokens.count - 1)
            for (number, token) in losers.enumerated() { _ = try await stores.accept(token, as: "Sam\(number)") }
            #expect(try await stores.current(team).memberCount == tokens.count)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Two invitations of an address accepted at once create one account in both teams`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            for round in 0..<5 {
                let teams = [try await stores.makeTeam(), try await stores.makeTeam()]
                var made: [String] = []
                for team in teams {
                    made += try await stores.makeInvitation(to: "p\(round)@example.org", into: team).tokens
                }
                let tokens = made
                let accepted = try await concurrently(2) {
                    try await stores.accept(tokens[$0], as: "P\(round)-\($0)")
                }
                #expect(Set(accepted.map(\.user.id)).count == 1)
                #expect(accepted.count(where: { $0.isNewAccount }) == 1)
                for team in teams { #expect(try await stores.current(team).memberCount == 1) }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An account created for the address at the same moment is the one that joins`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            for round in 0..<8 {
                let team = try await stores.makeTeam()
                let email = "p\(round)@example.org"
                let invited = try await stores.makeInvitation(to: email, into: team)
                _ = try await concurrently(2) { number in
                    if number == 0 {
                        _ = try await stores.accept(invited.tokens[0], as: "Invited\(round)")
                    } else {
                        let other = User(name: try UserName("Other\(round)"), email: try EmailAddress(email))
                        do {
                            try await stores.insert(other)
                        } catch let error as AppError {
                            #expect(error.reason == .emailTaken)
                        }
                    }
                }
                let user = try #require(try await stores.user(login: email))
                #expect(try await stores.members(of: team.id).map(\.userID) == [user.id])
            }
        }
    }
}

extension Stores {
    fileprivate func accept(
        _ token: String, as name: String?, at now: Date = Instants.now
    ) async throws -> AcceptedInvitation {
        let newcomer = try name.map { InvitedNewcomer(name: try UserName($0), passwordHash: "$2b$12$x") }
        return try await transaction { [now] rows in
            try rows.acceptInvitation(
                tokenHash: OneTimeToken.hash(of: token), newcomer: newcomer, secret: TestTeam.secret, at: now)
        }
    }

    /// Why the link is rejected; `nil` if it works.
    fileprivate func refusalOfAcceptance(_ token: String, as name: String) async throws -> AppError.Reason? {
        do {
            _ = try await accept(token, as: name)
            return nil
        } catch let error as AppError {
            return error.reason
        }
    }
}
