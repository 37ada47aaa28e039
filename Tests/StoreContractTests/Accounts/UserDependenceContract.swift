import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Users that a store does not delete, because others depend on them.
@Suite struct UserDependenceContract {
    @Test(arguments: StoreUnderTest.all)
    func `The last admin who can log in stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let admin = try await stores.makeAdmin()
            let disabled = try await stores.makeAdmin()
            try await stores.update(id: disabled.id, UserUpdate(isDisabled: true))
            _ = try await stores.makeUser()
            await expectRejection(.conflict, reason: .lastAdmin) { try await stores.delete(id: admin.id) }
            #expect(try await stores.user(admin.id) == admin)

            let second = try await stores.makeAdmin()
            try await stores.delete(id: admin.id)
            await expectRejection(.conflict, reason: .lastAdmin) { try await stores.delete(id: second.id) }
            // A disabled user is not needed by anyone.
            try await stores.delete(id: disabled.id)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A team's last lead stays while there are others, and the team is named`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let blue = try await stores.makeTeam("Blue")
            let lead = try await stores.makeUser()
            try await stores.add(Membership(teamID: blue.id, userID: lead.id, role: .lead))
            let member = try await stores.makeVoters(1, in: blue)[0]
            let sessions = [try await stores.makeSession(of: lead)]
            await expectRejection(.conflict, reason: .lastLead) { try await stores.delete(id: lead.id) }
            let error = await #expect(throws: AppError.self) { try await stores.delete(id: lead.id) }
            #expect(error?.message.contains("Blue") == true)
            #expect(try await stores.current(blue).memberCount == 2)
            #expect(try await stores.sessions(of: lead.id, at: Instants.now) == sessions)

            try await stores.delete(id: member.user.id)
            try await stores.delete(id: lead.id)
            #expect(try await stores.current(blue).memberCount == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A lead may leave if another stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let leads = [try await stores.makeUser(), try await stores.makeUser()]
            for lead in leads {
                try await stores.add(Membership(teamID: team.id, userID: lead.id, role: .lead))
            }
            try await stores.delete(id: leads[0].id)
            #expect(try await stores.members(of: team.id).map(\.userID) == [leads[1].id])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of all admins who leave at once, one stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var admins: [User] = []
            for _ in 0..<4 { admins.append(try await stores.makeAdmin()) }
            let ids = admins.map(\.id)
            let refusals = try await concurrently(ids.count) { try await stores.refusalOfDeletion(ids[$0]) }
            #expect(refusals.compactMap { $0 } == [.lastAdmin])
            #expect(try await stores.read { try $0.userCount(role: .admin) } == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of all leads who leave at once, one stays if there are others`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            _ = try await stores.makeVoters(1, in: team)
            var ids: [User.ID] = []
            for _ in 0..<3 {
                let lead = try await stores.makeUser()
                try await stores.add(Membership(teamID: team.id, userID: lead.id, role: .lead))
                ids.append(lead.id)
            }
            let leads = ids
            let refusals = try await concurrently(leads.count) { try await stores.refusalOfDeletion(leads[$0]) }
            #expect(refusals.compactMap { $0 } == [.lastLead])
            #expect(try await stores.members(of: team.id).count(where: { $0.role == .lead }) == 1)
        }
    }
}

/// Data that is found by the user it is about.
@Suite struct NamingContract {
    @Test(arguments: StoreUnderTest.all)
    func `Jobs that name a user are found and removed, whatever their state`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = User.ID.random()
            let jobs = [
                Job(kind: "a", payload: #"{"userID":"\#(user)"}"#, runAt: Instants.now + 2),
                Job(kind: "b", dedupeKey: "b:\(user):1", state: .done, runAt: Instants.now + 1),
                Job(kind: "c", payload: #"{"inviterID":"\#(user)"}"#, state: .dead, runAt: Instants.now),
            ]
            let other = Job(
                kind: "a", payload: #"{"userID":"\#(User.ID.random())"}"#, dedupeKey: "x", runAt: Instants.now)
            let bare = Job(kind: "a", runAt: Instants.now)
            let kept = Job(kind: "d", payload: #"{"userID":"\#(user)"}"#, runAt: Instants.now + 3)
            for job in jobs + [other, bare] { #expect(try await stores.jobs.enqueue(job)) }
            #expect(try await stores.jobs.list(naming: user) == jobs.reversed())
            #expect(try await stores.jobs.enqueue(kept))
            try await stores.jobs.deleteAll(naming: user, except: kept.id)
            #expect(try await stores.jobs.list(naming: user) == [kept])
            try await stores.jobs.deleteAll(naming: user, except: nil)
            #expect(try await stores.jobs.list(naming: user).isEmpty)
            let left = try await stores.jobs.list(state: nil, limit: 10)
            #expect(Set(left.map(\.id)) == [other.id, bare.id])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The tokens of a subject are listed by expiry`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let subject = User.ID.random().description
            let change = OneTimeToken.make(.emailChange, subject: subject, email: "a@b.at", at: Instants.now).token
            let reset = OneTimeToken.make(.passwordReset, subject: subject, email: "a@b.at", at: Instants.now).token
            let other = OneTimeToken.make(.passwordReset, subject: "x", email: "a@b.at", at: Instants.now).token
            for token in [change, reset, other] { try await stores.insert(token) }
            #expect(try await stores.read { try $0.tokens(of: subject) } == [reset, change])
        }
    }
}

extension Stores {
    /// An administrator with a unique name.
    func makeAdmin() async throws -> User {
        let id = User.ID.random()
        let user = User(
            id: id, name: try UserName("admin-\(id)"), email: try EmailAddress("\(id)@example.org"), role: .admin)
        try await insert(user)
        return user
    }

    /// Why the user is not deleted; `nil` if they are.
    fileprivate func refusalOfDeletion(_ id: User.ID) async throws -> AppError.Reason? {
        do {
            try await delete(id: id)
            return nil
        } catch let error as AppError {
            return error.reason
        }
    }
}
