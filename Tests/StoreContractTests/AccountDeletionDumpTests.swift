import Crypto
import Foundation
import GRDB
import Logging
import Mongo
import TestSupport
import Testing

@testable import Shared

/// What is found of a person in everything a store has written, once they have deleted their account.
@Suite struct AccountDeletionDumpTests {
    @Test func nothingOfThePersonIsLeftInTheSQLiteFile() async throws {
        try await SQLiteFile.with { file in
            try await Self.deleteAndSearch(file.stores) {
                try await file.bytes()
            } results: {
                try await file.onWriter { db in
                    try ["happiness", "feedback"].map { table in
                        try Row.fetchAll(db, sql: "SELECT * FROM \(table)").map(\.description).joined(separator: "\n")
                    }
                }
            } failures: {
                try await file.texts("SELECT hex(key) FROM loginFailures").count
            }
        }
    }

    @Test func nothingOfThePersonIsLeftInAnyMongoCollection() async throws {
        let fixture = try await MongoFixture.make()
        try await Self.deleteAndSearch(fixture.stores) {
            let names = try await fixture.client.run { database in
                try database.command(["listCollections": 1, "nameOnly": true]).document("cursor")["firstBatch"]?
                    .arrayValue?.compactMap { $0.documentValue?["name"]?.stringValue } ?? []
            }
            #expect(names.count >= 12)
            var dump = Data()
            for name in names {
                for document in try await fixture.documents(of: name) { dump += Data(document.bytes) }
            }
            return dump
        } results: {
            var documents: [String] = []
            for name in ["happiness", "feedback"] {
                documents += try await fixture.documents(of: name).map { Data($0.bytes).base64EncodedString() }
            }
            return documents
        } failures: {
            try await fixture.documents(of: "loginFailures").count
        }
    }

    /// - Parameters:
    ///   - dump: all bytes that are stored.
    ///   - results: tallies, publications and feedback, byte for byte.
    ///   - failures: how many counts of failed log-ins are stored.
    private static func deleteAndSearch(
        _ stores: Stores, dump: () async throws -> Data, results: () async throws -> [String],
        failures: () async throws -> Int
    ) async throws {
        let person = try await Person.make(in: stores)
        let traces = try await person.traces()
        let before = try await dump()
        for (what, bytes) in traces {
            #expect(before.range(of: bytes) != nil, "the search finds no \(what) that is there")
        }
        #expect(try await failures() == 3)
        let stored = try await results()

        try await person.accounts.delete(person.principal, proof: .password(Person.password))

        let after = try await dump()
        for (what, bytes) in traces {
            #expect(after.range(of: bytes) == nil, "\(what)")
        }
        #expect(try await failures() == 0)
        #expect(try await results() == stored)
    }
}

/// Somebody who has left as many traces as one can.
private struct Person {
    static let password = "purple lamp 9"
    private static let identitySubject = "subject-5f2b6c0d8a91"

    let stores: Stores
    let accounts: AccountService
    let user: User
    let principal: Principal
    let receipts: [Receipt]

    static func make(in stores: Stores) async throws -> Person {
        let secrets = Secrets(jwt: SymmetricKey(size: .bits256), ballot: Voter.secret)
        let clock = WallClock { Instants.now }
        let hasher = try PasswordHasher(cost: PasswordHasher.costs.lowerBound)
        let logIns = try LogInService(
            stores: stores, secrets: secrets, hasher: hasher, lifetimes: SessionLifetimes(), clock: clock)
        let user = User(
            name: try UserName("Quirin Dumpsearch"), email: try EmailAddress("quirin@dump.example"),
            pendingEmail: try EmailAddress("waiting@dump.example"), passwordHash: try await hasher.hash(password))
        try await stores.users.insert(user)
        let receipts = try await vote(as: user, in: stores)

        let logIn = try await logIns.logIn(
            login: user.name, password: password, device: "Quirins Telefon", address: "192.0.2.1", lifetime: .classic)
        let principal = Principal(userID: user.id, sessionID: logIn.sessionID)
        let throttle = LoginThrottle(sessions: stores.sessions, secret: secrets.jwt)
        for login in [user.name, user.email] {
            try await throttle.recordFailure(throttle.attempt(login: login, from: "192.0.2.1"), at: Instants.now)
        }
        try await throttle.recordFailure(throttle.attempt(of: user.id), at: Instants.now)
        // The address is a place, not a person; its count would be the one that stays.
        try await throttle.clear(throttle.attempt(login: "somebody else", from: "192.0.2.1"))
        try await leaveLinks(of: user, in: stores)
        try await leaveJobs(of: user, in: stores)

        let accounts = AccountService(
            stores: stores, secrets: secrets, hasher: hasher, authenticator: logIns.authenticator,
            memberships: MembershipCache(teams: stores.teams, clock: clock),
            sprints: SprintService(stores: stores, secret: secrets.ballot, clock: clock), clock: clock,
            logger: Logger(label: "test"))
        return Person(stores: stores, accounts: accounts, user: user, principal: principal, receipts: receipts)
    }

    /// Everything that leads to the person, as bytes to be searched for. Stores keep receipts as bytes, all else as text.
    func traces() async throws -> [(what: String, bytes: Data)] {
        let texts = [
            ("id", user.id.description), ("name", user.name), ("folded name", UserName.folded(user.name)),
            ("address", user.email), ("pending address", "waiting@dump.example"), ("old address", "old@dump.example"),
            ("session", principal.sessionID.description), ("device", "Quirins Telefon"),
            ("identity", Self.identitySubject), ("domain", "dump.example"),
        ]
        return texts.map { ($0, Data($1.utf8)) } + receipts.map { ("receipt", Data($0.bytes)) }
    }

    /// Votes in a running sprint, in a closed one, and in one of a team that was left since. In none all have voted.
    private static func vote(as user: User, in stores: Stores) async throws -> [Receipt] {
        let session = try await stores.makeSession(of: user)
        let voter = Voter(user: user, session: session)
        var receipts: [Receipt] = []
        let names = ["running", "closed", "left"]
        for name in names {
            let team = try await stores.makeTeam(name)
            let sprint = try await stores.makeSprint(of: team)
            let others = try await stores.makeVoters(5, in: team)
            try await stores.teams.add(Membership(teamID: team.id, userID: user.id))
            let own = try voter.ballot(in: sprint, feedback: "a word")
            let ballots = try others.dropLast().map { try $0.ballot(in: sprint) }
            #expect(try await stores.cast([own] + ballots).allSatisfy { $0.isCounted })
            if name == "closed" { #expect(try await stores.ballots.close(sprint.key, ifMemberCountIs: nil)) }
            if name == "left" { try await stores.teams.remove(userID: user.id, from: team.id) }
            receipts.append(voter.receipt(in: sprint))
        }
        return receipts
    }

    private static func leaveLinks(of user: User, in stores: Stores) async throws {
        let registration = Registration(
            name: user.name, email: user.email, passwordHash: "$2b$12$x", role: .member, locale: "en",
            expires: Instants.now + Instants.day)
        try await stores.registrations.put(registration)
        let invitation = Invitation(
            email: user.email, role: .member, teamID: nil, teamRole: .member, locale: "en",
            sent: try #require(CalendarDay("2026-01-08")))
        try await stores.invitations.insert(invitation)
        try await stores.identities.insert(
            ExternalIdentity(issuer: "https://id.example", subject: identitySubject, userID: user.id))
        let subjects: [(OneTimeToken.Purpose, String)] = [
            (.passwordReset, user.id.description), (.emailChange, user.id.description),
            (.invitation, invitation.id.description), (.registration, registration.id.description),
        ]
        for (purpose, subject) in subjects {
            let token = OneTimeToken.make(purpose, subject: subject, email: user.email, at: Instants.now).token
            try await stores.tokens.insert(token)
        }
    }

    private static func leaveJobs(of user: User, in stores: Stores) async throws {
        let mails = MailJobs(jobs: stores.jobs, clock: WallClock { Instants.now })
        try await mails.passwordReset(of: user.id)
        try await mails.emailChanged(of: user.id, from: "old@dump.example")
        _ = try await stores.jobs.enqueue(
            Job(kind: "other", dedupeKey: "other:\(user.id)", state: .dead, runAt: Instants.now))
    }
}
