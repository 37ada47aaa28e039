import Domain
import Foundation
import GRDB
import Mongo
import Ports
import Services
import Storage
import TestSupport
import Testing

/// Workers that die or fail while they delete an account's traces: in the end nothing remains, including the job.
@Suite(.needsMongod, .serialized) struct AccountTraceRemovalTests {
    typealias Step = AccountTraceRemoval.Step

    /// Unstructured, because the first test starts it for all others. A separate server, since its fail point affects
    /// all clients.
    private static let server = Task { try await MongoServer.start(testCommands: true) }

    @Test(arguments: StoreUnderTest.all, 0...Step.allCases.count)
    func `After a worker dies at any step, another one does the rest`(kind: StoreUnderTest, steps: Int) async throws {
        try await withStoresAndDirectory(kind) { stores, directory in
            let person = try await UserWithTraces.make(in: stores, directory)
            let sprint = try await person.keepATeamWaiting()
            try await person.deleteAccount()
            let leased = try await stores.jobs.lease(
                kinds: [AccountTraces.jobKind], owner: "dies", at: Instants.now, until: Instants.now + 30)
            let context = JobContext(job: try #require(leased), now: Instants.now)
            let removal = AccountTraceRemoval(
                stores: stores, objects: person.objects, secret: Voter.secret, clock: WallClock { Instants.now })
            for step in Step.allCases.prefix(steps) {
                try await removal.remove(
                    step, of: try context.parameters(as: AccountTraces.self), for: context.job.id)
            }

            #expect(try await stores.removeAccountTraces(of: person, at: Instants.now + 29) == 0)
            #expect(try await stores.removeAccountTraces(of: person, at: Instants.now + 31) == 1)

            try await expectNothing(of: person, waiting: sprint, in: stores)
        }
    }

    // SQLite's schema does not allow traces of a deleted account in actions, so that step cannot fail.
    @Test(arguments: Step.allCases.filter { $0 != .actions })
    func `A step that fails on SQLite is repeated and does not block the others`(step: Step) async throws {
        let fault =
            switch step {
            case .jobs: "DELETE ON jobs WHEN OLD.kind <> '\(AccountTraces.jobKind)'"
            // The object store fails instead.
            case .picture, .actions: "UPDATE ON teams WHEN 0"
            case .failedLogins: "DELETE ON loginFailures"
            case .invitations: "DELETE ON invitations"
            case .registration: "DELETE ON registrations"
            case .completeSprints: "UPDATE ON happiness"
            }
        try await SQLiteFile.with { file in
            let stores = file.stores
            try await failOnce(step, in: stores) {
                try await file.onWriter { db in
                    try db.execute(sql: "CREATE TRIGGER fault BEFORE \(fault) BEGIN SELECT RAISE(ABORT, 'fault'); END")
                }
            } mend: {
                try await file.onWriter { try $0.execute(sql: "DROP TRIGGER fault") }
            }
        }
    }

    @Test(arguments: Step.allCases)
    func `A step that fails on MongoDB is repeated and does not block the others`(step: Step) async throws {
        let (command, collection) =
            switch step {
            case .jobs: ("delete", "jobs")
            case .picture: ("insert", "none")
            case .failedLogins: ("delete", "loginFailures")
            case .invitations: ("delete", "invitations")
            case .registration: ("delete", "registrations")
            case .actions: ("update", "actions")
            case .completeSprints: ("find", "memberships")
            }
        let fixture = try await MongoFixture.make(on: Self.server.value)
        try await failOnce(step, in: fixture.stores) {
            let fault: BSONDocument = [
                "failCommands": [.string(command)], "errorCode": 13, "errorLabels": [],
                "namespace": .string("\(fixture.databaseName).\(collection)"),
            ]
            try await configureFault(["mode": "alwaysOn", "data": .document(fault)], in: fixture)
        } mend: {
            try await configureFault(["mode": "off"], in: fixture)
        }
    }

    private func configureFault(_ fields: BSONDocument, in fixture: MongoFixture) async throws {
        try await fixture.client.run { database in
            var command: BSONDocument = ["configureFailPoint": "failCommand"]
            for (key, value) in fields { command.append(key, value) }
            _ = try database.adminCommand(command)
        }
    }

    /// Deletes an account, makes one step of the removal fail once, and checks that the other steps succeed, and all of
    /// them in the end.
    private func failOnce(
        _ step: Step, in stores: Stores, break: () async throws -> Void, mend: () async throws -> Void
    ) async throws {
        try await TemporaryDirectory.with { directory in
            let person = try await UserWithTraces.make(in: stores, directory)
            try await failOnce(step, of: person, in: stores, break: `break`, mend: mend)
        }
    }

    private func failOnce(
        _ step: Step, of person: UserWithTraces, in stores: Stores, break: () async throws -> Void,
        mend: () async throws -> Void
    ) async throws {
        let sprint = try await person.keepATeamWaiting()
        try await person.deleteAccount()
        try await `break`()
        if step == .picture { person.objects.setFault(.error(.unavailable("away"))) }
        #expect(try await stores.removeAccountTraces(of: person) == 1)

        let named = try await stores.jobs.list(naming: person.user.id)
        let job = try #require(named.first { $0.kind == AccountTraces.jobKind })
        #expect(job.state == .ready && (named.count > 1) == (step == .jobs))
        let reason = try #require(job.lastError)
        #expect(Step.allCases.filter { reason.contains("\($0.rawValue) (") } == [step], "\(reason)")
        for (what, bytes) in person.traces {
            #expect(
                Data((job.payload + reason).utf8).range(of: bytes) == nil || ["id", "picture"].contains(what), "\(what)"
            )
        }
        #expect(try await stores.ballots.existing(among: person.receipts).count == 0)
        #expect(try await stores.record(of: sprint).state.isClosed == (step != .completeSprints))

        try await mend()
        person.objects.setFault(nil)
        #expect(try await stores.removeAccountTraces(of: person, at: Instants.now + Instants.day / 24) == 1)
        try await expectNothing(of: person, waiting: sprint, in: stores)
    }

    private func withStoresAndDirectory(
        _ kind: StoreUnderTest, _ body: (Stores, TemporaryDirectory) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            try await TemporaryDirectory.with { try await body(stores, $0) }
        }
    }

    private func expectNothing(of person: UserWithTraces, waiting sprint: Sprint, in stores: Stores) async throws {
        #expect(try await stores.jobs.list(state: nil, limit: 10).isEmpty)
        #expect(try await stores.ballots.existing(among: person.receipts).count == 0)
        #expect(try await person.objects.list(prefix: "", after: nil, limit: 10).isEmpty)
        #expect(try await stores.read { try $0.invitations(email: person.user.email) }.isEmpty)
        #expect(try await stores.read { try $0.registration(email: person.user.email) } == nil)
        #expect(try await stores.record(of: sprint).state.isClosed)
        // Also in the team that they had left.
        #expect(try await stores.read { try $0.supportedActions(after: nil, limit: 1) }.isEmpty)
    }
}
