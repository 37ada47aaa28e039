import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Users who delete their own account.
@Suite struct AccountDeletionTests {
    @Test(arguments: StoreUnderTest.all)
    func `A deleted user's tokens are refused at once, and nobody logs in by the name`(
        kind: StoreUnderTest
    ) async throws {
        try await OwnAccounts.with(kind) { own in
            let anna = try await own.signIn("Anna")
            let bert = try await own.signIn("Bert")
            let other = try await own.accounts.logIn("anna@example.org")
            let refreshToken = try #require(other.refreshToken)
            // So that this process caches them.
            _ = try await own.accounts.authenticate(anna.token)
            _ = try await own.accounts.authenticate(other.accessToken)
            try await own.service.delete(anna.principal, proof: .password(Accounts.password))
            #expect(try await own.accounts.refusalOfToken(anna.token) == .sessionEnded)
            #expect(try await own.accounts.refusalOfToken(other.accessToken) == .sessionEnded)
            #expect(try await own.accounts.refusalOfRefresh(refreshToken) != nil)
            #expect(try await rejection { _ = try await own.accounts.logIn("Anna") }?.reason == .wrongCredentials)
            #expect(try await own.stores.user(anna.user.id) == nil)
            #expect(try await own.accounts.refusalOfToken(bert.token) == nil)
        }
    }

    @Test func `The team knows at once that a deleted user reads nothing`() async throws {
        try await OwnAccounts.with(.sqlite) { own in
            let anna = try await own.signIn("Anna")
            let bert = try await own.signIn("Bert")
            let team = try await own.makeTeam("Blue", [bert, anna])
            #expect(try await own.memberships.membership(of: anna.user.id, in: team.id) != nil)
            try await own.service.delete(anna.principal, proof: .token)
            #expect(try await own.memberships.membership(of: anna.user.id, in: team.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Receipts are deleted, and tallies and publications stay`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { own in
            var people: [SignedIn] = []
            for number in 0..<5 { people.append(try await own.signIn("member\(number)")) }
            let team = try await own.makeTeam("Blue", people, policy: .live)
            for person in people.dropLast() { try await own.vote(person, in: team) }
            let sprint = try await own.sprints.runningSprint(of: team.id).key
            let record = try #require(try await own.stores.sprint(sprint))
            let receipts = people.map { Receipt(secret: TestTeam.secret, sprint: sprint, userID: $0.user.id) }

            try await own.service.delete(people[1].principal, proof: .password(Accounts.password))
            try await own.workOff()

            #expect(try await own.stores.ballots.contains(receipts[1]) == false)
            #expect(try await own.stores.ballots.existing(among: receipts).count == 3)
            #expect(try await own.stores.sprint(sprint) == record)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A team deleted after an account does not keep the account's traces`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { own in
            let anna = try await own.signIn("Anna")
            let bert = try await own.signIn("Bert")
            let team = try await own.makeTeam("Blue", [bert, anna])
            try await own.service.delete(anna.principal, proof: .token)
            try await own.stores.delete(team.id, at: own.accounts.clock.now)
            try await own.workOff()
            #expect(try await own.stores.jobs.list(naming: anna.user.id).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint closes in which all remaining members have voted`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { own in
            var people: [SignedIn] = []
            for number in 0..<5 { people.append(try await own.signIn("member\(number)")) }
            let team = try await own.makeTeam("Blue", people)
            for person in people.dropLast(2) { try await own.vote(person, in: team) }
            let sprint = try await own.sprints.runningSprint(of: team.id).key
            // One of two members who have not voted leaves: the sprint still waits for the other.
            try await own.service.delete(people[4].principal, proof: .token)
            try await own.workOff()
            #expect(try await own.stores.sprint(sprint)?.state.isClosed == false)
            try await own.service.delete(people[3].principal, proof: .token)
            try await own.workOff()
            let record = try #require(try await own.stores.sprint(sprint))
            #expect(record.state.isClosed && record.state.published.count == 3 && record.eligible == 3)
        }
    }

    @Test func `A wrong password is refused, slowed down and changes nothing`() async throws {
        try await OwnAccounts.with(.sqlite) { own in
            let anna = try await own.signIn("Anna")
            func attempt(_ password: String?) async throws -> AppError? {
                try await rejection { try await own.service.delete(anna.principal, proof: .password(password)) }
            }
            #expect(try await attempt(nil)?.code == .malformed)
            for _ in 1...5 { #expect(try await attempt("wrong")?.reason == .wrongPassword) }
            let refused = try await attempt(Accounts.password)
            #expect(refused?.reason == .tooManyLogIns && refused?.retryAfter != nil)
            #expect(try await own.stores.user(anna.user.id) != nil)
            #expect(try await own.accounts.refusalOfToken(anna.token) == nil)
            own.accounts.clock.advance(by: 2)
            #expect(try await attempt(Accounts.password) == nil)
        }
    }

    @Test func `A user without a password needs a log-in of the last ten minutes`() async throws {
        try await OwnAccounts.with(.sqlite) { own in
            let user = User(name: try UserName("Olga"), email: try EmailAddress("olga@example.org"))
            try await own.stores.insert(user)
            func session(age: TimeInterval, generation: Int = 0) async throws -> Principal {
                let now = own.accounts.clock.now
                let session = Session(
                    userID: user.id, device: "test", expires: now + 3_600,
                    lastUsed: CalendarDay(instant: now, in: .gmt), generation: generation)
                try await own.stores.insert(session)
                return Principal(userID: user.id, sessionID: session.id, tokenIssued: now - age)
            }
            // A renewed session may have begun long ago.
            for principal in [try await session(age: 601), try await session(age: 10, generation: 1)] {
                let error = try await rejection {
                    try await own.service.delete(principal, proof: .password("anything"))
                }
                #expect(error?.reason == .logInAgain && error?.code == .forbidden)
            }
            try await own.service.delete(try await session(age: 600), proof: .password(nil))
            #expect(try await own.stores.user(user.id) == nil)
        }
    }

    @Test func `The last admin and a team's last lead are told what to do and keep everything`() async throws {
        try await OwnAccounts.with(.sqlite) { own in
            let admin = try await own.signIn("Admin", role: .admin)
            let lead = try await own.signIn("Lead")
            let member = try await own.signIn("Member")
            let team = try await own.makeTeam("Blue", [lead, member])
            try await own.vote(lead, in: team)
            let sprint = try await own.sprints.runningSprint(of: team.id).key
            let password = DeletionProof.password(Accounts.password)

            let last = try await rejection { try await own.service.delete(admin.principal, proof: password) }
            #expect(last?.reason == .lastAdmin && last?.message.contains("another") == false)
            let alone = try await rejection { try await own.service.delete(lead.principal, proof: password) }
            #expect(alone?.reason == .lastLead && alone?.message.contains("Blue") == true)
            #expect(try await own.accounts.refusalOfToken(admin.token) == nil)
            #expect(try await own.accounts.refusalOfToken(lead.token) == nil)
            let receipt = Receipt(secret: TestTeam.secret, sprint: sprint, userID: lead.user.id)
            #expect(try await own.stores.ballots.contains(receipt))

            try await own.service.delete(member.principal, proof: password)
            try await own.service.delete(lead.principal, proof: password)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two admins who delete themselves at once, one stays`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { own in
            let admins = [
                try await own.signIn("Admin1", role: .admin), try await own.signIn("Admin2", role: .admin),
            ]
            let service = own.service
            let reasons = try await withThrowingTaskGroup(of: AppError.Reason?.self) { group in
                for admin in admins {
                    group.addTask {
                        try await rejection {
                            try await service.delete(admin.principal, proof: .password(Accounts.password))
                        }?.reason
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reasons.compactMap { $0 } == [.lastAdmin])
            #expect(try await own.stores.read { try $0.userCount(role: .admin) } == 1)
        }
    }

    @Test func `A deleted user is not found by the second request either`() async throws {
        try await OwnAccounts.with(.sqlite) { own in
            let anna = try await own.signIn("Anna")
            try await own.service.delete(anna.principal, proof: .token)
            let again = try await rejection { try await own.service.delete(anna.principal, proof: .token) }
            #expect(again?.code == .unauthenticated)
        }
    }
}
