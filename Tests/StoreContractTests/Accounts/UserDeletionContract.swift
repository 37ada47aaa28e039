import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct UserDeletionContract {
    @Test(arguments: StoreUnderTest.all)
    func `Deleting a user removes only their own data`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let teams = [try await stores.makeTeam(), try await stores.makeTeam()]
            let gone = try await stores.makeVoters(1, in: teams[0])[0]
            try await stores.add(Membership(teamID: teams[1].id, userID: gone.user.id, role: .lead))
            let token = try await stores.makeToken(.passwordReset, subject: gone.user.id.description)
            let changeToken = try await stores.makeToken(.emailChange, subject: gone.user.id.description)
            let identity = ExternalIdentity(issuer: "https://a", subject: "1", userID: gone.user.id)
            try await stores.insert(identity)

            try await stores.delete(id: gone.user.id)

            #expect(try await stores.user(gone.user.id) == nil)
            #expect(try await stores.user(login: gone.user.email) == nil)
            #expect(try await stores.session(gone.session.id) == nil)
            #expect(try await stores.read { try $0.teams(of: gone.user.id) }.isEmpty)
            for team in teams {
                #expect(try await stores.members(of: team.id).isEmpty)
                #expect(try await stores.current(team).memberCount == 0)
            }
            #expect(try await stores.has(token) == false)
            #expect(try await stores.has(changeToken) == false)
            #expect(try await stores.read { try $0.identity(issuer: "https://a", subject: "1") } == nil)
            await expectRejection(.notFound, reason: .noSuchUser) { try await stores.delete(id: gone.user.id) }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An account is deleted only while the deciding user is an admin`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (admin, disabled) = (try await stores.makeAdmin(), try await stores.makeAdmin())
            let (user, member) = (try await stores.makeUser(), try await stores.makeUser())
            try await stores.update(id: disabled.id, UserUpdate(isDisabled: true))
            let job = Job(kind: "test", runAt: Instants.now)
            for caller in [disabled.id, member.id, user.id, .random()] {
                await expectRejection(.conflict, reason: .changedMeanwhile) {
                    try await stores.delete(id: user.id, ifAdmin: caller, enqueueing: job)
                }
            }
            #expect(try await stores.user(user.id) == user)
            #expect(try await stores.jobs.find(id: job.id) == nil)
            try await stores.delete(id: user.id, ifAdmin: admin.id, enqueueing: job)
            #expect(try await stores.user(user.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The job is stored with the deletion, and never without it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(2, in: team)
            try await stores.remove(userID: voters[0].user.id, from: team.id)
            try await stores.add(Membership(teamID: team.id, userID: voters[0].user.id, role: .lead))
            let job = Job(kind: "traces", payload: #"{"a":1}"#, runAt: Instants.now)
            await expectRejection(.conflict, reason: .lastLead) {
                try await stores.delete(id: voters[0].user.id, enqueueing: job)
            }
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.delete(id: .random(), enqueueing: job)
            }
            #expect(try await stores.jobs.list(state: nil, limit: 10).isEmpty)
            try await stores.delete(id: voters[1].user.id, enqueueing: job)
            #expect(try await stores.jobs.list(state: nil, limit: 10) == [job])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Deleting a user leaves others and tallies as they are`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(4, in: team)
            _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            let record = try await stores.record(of: sprint)
            let stays = voters[1]
            let token = try await stores.makeToken(.passwordReset, subject: stays.user.id.description)
            let identity = ExternalIdentity(issuer: "https://a", subject: "2", userID: stays.user.id)
            try await stores.insert(identity)

            try await stores.delete(id: voters[0].user.id)

            #expect(try await stores.record(of: sprint) == record)
            #expect(try await stores.current(team).memberCount == 3)
            #expect(try await stores.membership(of: stays.user.id, in: team.id) != nil)
            #expect(try await stores.session(stays.session.id) == stays.session)
            #expect(try await stores.has(token))
            #expect(try await stores.read { try $0.identities(of: stays.user.id) } == [identity])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A deleted user's name and address are free again`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser("Anna")
            try await stores.delete(id: user.id)
            try await stores.insert(User(name: try UserName("anna"), email: try EmailAddress(user.email)))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who delete a user at once, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(2, in: team)
            let deleted = try await concurrently(10) { _ in
                do {
                    try await stores.delete(id: voters[0].user.id)
                    return true
                } catch let error as AppError {
                    #expect(error.code == .notFound)
                    return false
                }
            }
            #expect(deleted.count(where: { $0 }) == 1)
            #expect(try await stores.current(team).memberCount == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A membership added while its user is deleted does not outlive them`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for _ in 0..<5 {
                let team = try await stores.makeTeam()
                let user = try await stores.makeUser()
                _ = try await concurrently(2) { number in
                    do {
                        if number == 0 {
                            try await stores.delete(id: user.id)
                        } else {
                            try await stores.add(Membership(teamID: team.id, userID: user.id))
                        }
                    } catch let error as AppError {
                        #expect(number == 1 && error.code == .notFound)
                    }
                }
                #expect(try await stores.members(of: team.id).isEmpty)
                #expect(try await stores.current(team).memberCount == 0)
            }
        }
    }
}
