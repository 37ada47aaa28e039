import Crypto
import Domain
import Foundation
import Ports
import Storage
import TestSupport
import Testing

@testable import Services

/// The move of the first system's data, from a real MongoDB into both stores.
@Suite struct ClassicImportContract {
    private static let clock = WallClock { Instants.now }
    private static let target = ClassicImport.Target(
        team: "Everybody", timeZone: "UTC", leads: ["person3@example.org"], locale: .german)

    private static func importing(into stores: Stores) -> ClassicImport {
        ClassicImport(stores: stores, secret: Voter.secret, clock: clock)
    }

    /// Everything that the move writes.
    private struct Moved: Equatable {
        let users: [User]
        let records: [SprintRecord]
        let feedback: [Date: [Feedback]]

        init(_ stores: Stores) async throws {
            users = try await stores.read { try $0.users(matching: nil, after: nil, limit: 1_000) }
            guard let team = try await stores.read({ try $0.team(name: ClassicImportContract.target.team) }) else {
                (records, feedback) = ([], [:])
                return
            }
            records = try await stores.sprints(of: team.id, matching: .all)
            let numbers = records.map { ($0.sprint.start, $0.state.publishedNumber) }
            feedback = try await stores.ballots.feedback(
                teamID: team.id, publishedNumbers: Dictionary(uniqueKeysWithValues: numbers), secret: Voter.secret)
        }
    }

    @Test(.thorough, arguments: StoreUnderTest.all)
    func `Two hundred people and four years move over, with passwords, means and votes`(
        kind: StoreUnderTest
    ) async throws {
        let hasher = try PasswordHasher(cost: PasswordHasher.costs.lowerBound)
        let system = try await FirstSystem.make(people: 200, hasher: hasher)
        let source = try await system.documents()
        try await kind.withStores { stores in
            let classic = Self.importing(into: stores)
            let dry = try await classic.run(try await system.read(), into: Self.target, writing: false)
            #expect(dry.lines.isEmpty && dry.people == 200 && dry.sprints == system.results.count)
            #expect(dry.feedback == 5 * system.results.count && dry.receipts == system.voters.count)
            let untouched = try await Moved(stores)
            #expect(untouched.users.isEmpty && untouched.records.isEmpty)

            #expect(try await classic.run(try await system.read(), into: Self.target, writing: true) == dry)
            let moved = try await Moved(stores)
            let again = try await classic.run(try await system.read(), into: Self.target, writing: true)
            #expect(again == ClassicImport.Report() && again.isEmpty)
            #expect(try await Moved(stores) == moved)
            #expect(try await stores.jobs.list(state: nil, limit: 10).isEmpty)
            try await stores.system.requireSound()

            Self.expect(moved.records, moved.feedback, equal: system.results)
            let team = try #require(try await stores.read { try $0.team(name: "everybody") })
            #expect(team.memberCount == 200)
            let members = try await stores.members(of: team.id)
            let lead = try #require(members.first { $0.role == .lead })
            #expect(try await stores.user(lead.userID)?.name == "Person.3")
            #expect(members.count { $0.role == .lead } == 1)
            try await expectLoginsAndVotes(of: system, in: stores, hasher, sprint: try #require(moved.records.last))
        }
        #expect(try await system.documents() == source)
        try await system.drop()
    }

    /// The last result is the running sprint's.
    private static func expect(
        _ records: [SprintRecord], _ feedback: [Date: [Feedback]], equal results: [FirstSystem.Result]
    ) {
        #expect(records.map(\.sprint.label.description) == results.map(\.sprint))
        for (record, result) in zip(records, results) {
            let publication = Publication(record)
            // To the last digit.
            #expect(publication.happiness == result.happiness && publication.votes == result.votes)
            #expect(Double(publication.sumInTenths) / 10 == result.sum)
            #expect(publication.isClosed == (result.sprint != results.last?.sprint) && publication.sprint.isImported)
            #expect(feedback[record.sprint.start]?.map(\.text).sorted() == result.feedbacks.sorted())
        }
    }

    /// Everybody logs in with the old password, half of them with the name and half with the address. Those who had
    /// voted in the running sprint cannot do so again.
    private func expectLoginsAndVotes(
        of system: FirstSystem, in stores: Stores, _ hasher: PasswordHasher, sprint: SprintRecord
    ) async throws {
        let logins = try LoginService(
            stores: stores, secrets: Secrets(jwt: SymmetricKey(size: .bits256), ballot: Voter.secret), hasher: hasher,
            lifetimes: SessionLifetimes(), memberships: MembershipCache(stores: stores, clock: Self.clock),
            clock: Self.clock)
        var ballots: [Ballot] = []
        for (number, person) in system.people.enumerated() {
            let logIn = try await logins.logIn(
                login: number.isMultiple(of: 2) ? person.name.lowercased() : person.email, password: person.password,
                device: "test", address: "192.0.2.1", lifetime: .classic)
            #expect(logIn.user.name == person.name && logIn.user.defaultTeamID == sprint.sprint.teamID)
            let receipt = Receipt(secret: Voter.secret, sprint: sprint.sprint.key, userID: logIn.user.id)
            ballots.append(
                Ballot(
                    voter: Ballot.Voter(sessionID: logIn.sessionID, userID: logIn.user.id, receipt: receipt),
                    sprint: sprint.sprint.key, happiness: try Happiness(tenths: 70), feedback: nil))
        }
        var outcomes: [BallotOutcome] = []
        for first in stride(from: 0, to: ballots.count, by: 50) {
            outcomes += try await stores.cast(Array(ballots[first..<min(first + 50, ballots.count)]))
        }
        for (person, outcome) in zip(system.people, outcomes) {
            #expect((outcome == .alreadyVoted) == system.voters.contains(person.name), "\(person.name): \(outcome)")
        }
        let record = try await stores.record(of: sprint.sprint)
        #expect(record.state.current.count == 200)
        let number = 70 * (200 - system.voters.count)
        #expect(record.state.current.sum == sprint.state.current.sum + number)
        try await stores.system.requireSound()
    }

    private static let hash = "$2b$04$" + String(repeating: "a", count: 53)

    /// Five people, of whom the first `voters` have given a 7 in the running sprint.
    private static func dump(voters: Int, passwords: [Int: String] = [:]) -> ClassicDump {
        let names = ["anna", "ben", "cleo", "dan", "eva"]
        return ClassicDump(
            people: names.enumerated().map { number, name in
                ClassicDump.Person(
                    created: nil, username: name, email: "\(name)@example.org", password: passwords[number] ?? hash,
                    deviceToken: "token:\(name)")
            },
            results: [
                ClassicDump.Result(
                    sprint: "2026/1", happiness: 7, votes: voters, happinesssum: 7 * Double(voters), month: 0,
                    feedbacks: [])
            ], votes: names.prefix(voters).map { ClassicDump.Vote(username: $0, sprint: "2026/1") })
    }

    @Test(arguments: StoreUnderTest.all)
    func `Votes that the first system takes after the import are named and not moved`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let classic = Self.importing(into: stores)
            _ = try await classic.run(Self.dump(voters: 3), into: Self.target, writing: true)
            let moved = try await Moved(stores)
            let later = try await classic.run(Self.dump(voters: 4), into: Self.target, writing: true)
            #expect(later.isEmpty)
            #expect(later.lines.contains { $0.contains("usersprints has 1 who voted after the import") })
            // A sprint with receipts is not removed with what was imported.
            let team = try #require(try await stores.read { try $0.team(name: Self.target.team) })
            #expect(try await HistoryImport(stores: stores, clock: Self.clock).removeAll(of: team.id) == 0)
            #expect(try await Moved(stores) == moved)
        }
    }

    /// The first system lost votes, and counted others twice.
    @Test(arguments: StoreUnderTest.all)
    func `Receipts and votes that differ leave a store that is sound`(kind: StoreUnderTest) async throws {
        for (votes, voters) in [(5, 3), (3, 5)] {
            try await kind.withStores { stores in
                let full = Self.dump(voters: votes)
                let dump = ClassicDump(
                    people: full.people, results: full.results, votes: Self.dump(voters: voters).votes)
                let report = try await Self.importing(into: stores).run(dump, into: Self.target, writing: true)
                #expect(report.receipts == voters)
                let record = try #require(try await Moved(stores).records.last)
                #expect(record.state.current.count == votes && record.state.published.count == votes)
                try await stores.system.requireSound()
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Who has no usable hash gets an e-mail once, and phones are moved`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let dump = Self.dump(voters: 3, passwords: [1: "5f4dcc3b5aa765d61d8327deb882cf99"])
            for _ in 0..<2 {
                let report = try await Self.importing(into: stores).run(dump, into: Self.target, writing: true)
                #expect(report.lines.contains { $0.contains("“ben”: password is not a bcrypt hash") })
            }
            let ben = try #require(try await stores.user(login: "ben"))
            #expect(ben.passwordHash == nil)
            let jobs = try await stores.jobs.list(state: .ready, limit: 10)
            #expect(jobs.map(\.kind) == [MailJobKind.passwordReset.rawValue])
            #expect(jobs.first?.payload.contains(ben.id.description) == true)
            let device = try #require(try await stores.devices(of: ben.id).first)
            #expect(device.address == .fcm(token: "token:ben") && device.sessionID == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Accounts that are here already stay as they are`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let anna = User(name: try UserName("Anna"), email: try EmailAddress("anna@example.org"))
            let other = User(name: try UserName("ben"), email: try EmailAddress("another@example.org"))
            for user in [anna, other] { try await stores.insert(user) }
            let report = try await Self.importing(into: stores)
                .run(Self.dump(voters: 3), into: Self.target, writing: true)
            #expect(report.people == 3)
            #expect(report.lines.contains { $0.contains("“anna”: the account is here already") })
            #expect(report.lines.contains { $0.contains("“ben”: username or email belongs to another account") })
            #expect(try await stores.user(login: "anna") == anna)
            #expect(try await stores.user(login: "ben") == other)
            try await stores.system.requireSound()
        }
    }

    /// Nothing here tells a newcomer from somebody who has left for good.
    @Test(arguments: StoreUnderTest.all)
    func `An import that is repeated names the accounts that it would add`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let classic = Self.importing(into: stores)
            let first = try await classic.run(Self.dump(voters: 3), into: Self.target, writing: true)
            #expect(!first.lines.contains { $0.contains("comes back") })
            let eva = try #require(try await stores.user(login: "eva"))
            try await stores.delete(
                id: eva.id, ifPictureIs: nil, ifAdmin: nil, secret: Voter.secret,
                enqueueing: Job(kind: "traces", runAt: Instants.now))
            let report = try await classic.run(Self.dump(voters: 3), into: Self.target, writing: false)
            #expect(report.people == 1)
            #expect(
                report.lines.filter { $0.contains("comes back") } == [
                    "users “eva”: the account is not here. If its owner has deleted it, it comes back."
                ])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Who is a member already does not silently stay without the role of a lead`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let classic = Self.importing(into: stores)
            _ = try await classic.run(Self.dump(voters: 3), into: Self.target, writing: true)
            let naming = ClassicImport.Target(team: Self.target.team, leads: ["Dan"], locale: .german)
            let report = try await classic.run(Self.dump(voters: 3), into: naming, writing: true)
            #expect(
                report.lines == ["users “dan”: the account is in the team already; --lead doesn’t change its role."])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of accounts with one mailbox the first is moved, with the vote of the others`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let full = Self.dump(voters: 3)
            let second = ClassicDump.Person(
                created: nil, username: "eva-2", email: "Eva+2@example.org", password: Self.hash)
            // Anna, Ben and the second account of Eva have voted.
            let dump = ClassicDump(
                people: full.people + [second], results: full.results,
                votes: Array(full.votes.dropLast()) + [ClassicDump.Vote(username: "eva-2", sprint: "2026/1")])
            let classic = Self.importing(into: stores)
            let dry = try await classic.run(dump, into: Self.target, writing: false)
            #expect(dry.people == 5 && dry.receipts == 3)
            #expect(dry.lines.contains { $0.contains("“eva-2”: another account with the same mailbox is in the team") })
            #expect(try await classic.run(dump, into: Self.target, writing: true) == dry)
            #expect(try await stores.user(login: "eva-2") == nil)

            let eva = try #require(try await stores.user(login: "eva"))
            let sprint = try #require(try await Moved(stores).records.last).sprint
            #expect(
                try await stores.ballots.contains(Receipt(secret: Voter.secret, sprint: sprint.key, userID: eva.id)))
            // The same if the other account was moved by an earlier run.
            let alone = ClassicDump(people: [second], results: [], votes: [])
            let again = try await classic.run(alone, into: Self.target, writing: true)
            #expect(again.isEmpty && again.lines.contains { $0.contains("“eva-2”: another account") })
            try await stores.system.requireSound()
        }
    }

    @Test func `A database that is not the first system's is refused`() async throws {
        let error = try await #require(throws: ClassicDatabaseError.self) {
            try await ClassicDatabase.read(try await MongoServer.shared.uri())
        }
        #expect(error.description.contains("neither a collection users nor happinesses"))
        let unusable = try await #require(throws: ClassicDatabaseError.self) {
            try await ClassicDatabase.read("mongodb://anna:hunter2@[")
        }
        #expect(!unusable.description.contains("hunter2"))
    }
}
