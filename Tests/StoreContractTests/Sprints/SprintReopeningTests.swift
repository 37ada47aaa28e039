import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// A sprint that a wrong clock has closed goes on, if nobody has taken part in it.
@Suite struct SprintReopeningTests {
    private func reopen(
        _ sprint: Sprint, in stores: Stores, at now: Date = Instants.now
    ) async throws -> Sprint {
        try await SprintReopening(stores: stores, clock: WallClock { now }).reopen(sprint.label, of: sprint.teamID)
    }

    private func close(_ sprint: Sprint, in stores: Stores) async throws {
        #expect(try await SprintClosing(stores: stores, secret: Voter.secret).close(sprint.key))
    }

    /// The sprint of 40 days later, which the wrong clock has started.
    private func early(of team: Team) -> Sprint {
        .fortnight(of: team.id, start: Instants.start + 42 * Instants.day, label: SprintLabel(year: 2026, number: 7))
    }

    private func expectRejected(
        _ reason: AppError.Reason, _ sprint: Sprint, in stores: Stores, at now: Date = Instants.now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await stores.sprints(of: sprint.teamID, matching: .all)
        await #expect(throws: AppError.self, sourceLocation: sourceLocation) {
            do {
                _ = try await reopen(sprint, in: stores, at: now)
            } catch let error as AppError {
                #expect(error.reason == reason, sourceLocation: sourceLocation)
                throw error
            }
        }
        let after = try await stores.sprints(of: sprint.teamID, matching: .all)
        #expect(after == before, sourceLocation: sourceLocation)
    }

    @Test(arguments: StoreUnderTest.all)
    func `An untouched sprint is opened, takes ballots, and closes again`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(3, in: team)
            let sprint = try await stores.makeSprint(of: team)
            try await close(sprint, in: stores)
            #expect(try await stores.record(of: sprint).isCleared)
            let number = try #require(try await stores.publicationNumber(of: team.id))

            #expect(try await reopen(sprint, in: stores) == sprint)
            let open = try await stores.record(of: sprint)
            #expect(open.state == .initial && open.eligible == nil && open.sealed == nil && !open.isCleared)
            let later = try #require(try await stores.publicationNumber(of: team.id))
            #expect(later > number, "what readers have cached is read again")
            #expect(try await stores.read { try $0.unfinishedSprints(of: team.id, at: Instants.now, limit: 9) }.isEmpty)
            let outcomes = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            #expect(outcomes.allSatisfy { $0.isCounted })
            try await close(sprint, in: stores)
            let closed = try await stores.record(of: sprint)
            #expect(closed.state.published.count == 3 && closed.eligible == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `What the wrong clock has started and noted is withdrawn`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let experiment = ReminderExperiment(
                teamID: team.id, kind: .first, first: try #require(CalendarDay("2026-01-01")),
                last: try #require(CalendarDay("2026-01-31")), wordings: [:])
            try await stores.insert(experiment)
            try await close(sprint, in: stores)
            #expect(try await stores.read { try $0.experimentResults(of: experiment.id) }.count == 1)
            let early = try await stores.start(early(of: team))

            func reminder(of sprint: Sprint, on day: String, _ kind: Delivery.Kind = .reminder) throws -> Delivery {
                Delivery(
                    occasion: Delivery.Occasion(
                        sprint: sprint.key, kind: kind, day: try #require(CalendarDay(day))),
                    state: sprint == early ? .sending : .skipped, begun: Instants.now,
                    trouble: sprint == early ? nil : .windowMissed)
            }
            let missed = try reminder(of: sprint, on: "2026-01-05")
            let notYetDue = try reminder(of: sprint, on: "2026-01-15", .secondReminder)
            let ofEarly = try reminder(of: early, on: "2026-02-16")
            try await stores.transaction { try $0.insert([missed, notYetDue, ofEarly]) }
            let batch = DeliveryBatch(
                key: DeliveryBatch.Key(deliveryID: ofEarly.id, number: 0), recipients: .requester,
                sealedCounts: SealedCounts(bytes: Array(repeating: 1, count: 48)))
            _ = try await stores.write { try $0.expand(ofEarly.id, into: [batch]) }

            #expect(try await reopen(sprint, in: stores) == sprint)
            #expect(try await stores.latestSprint(of: team.id)?.sprint == sprint)
            #expect(try await stores.sprint(early.key) == nil)
            #expect(try await stores.delivery(missed.id) == missed)
            #expect(try await stores.delivery(notYetDue.id) == nil)
            #expect(try await stores.delivery(ofEarly.id) == nil)
            #expect(try await stores.read { try $0.batches(of: ofEarly.id) }.isEmpty)
            #expect(try await stores.read { try $0.experimentResults(of: experiment.id) }.isEmpty)
        }
    }

    /// Devices reject a second key of the same label (decision 44).
    @Test(arguments: StoreUnderTest.all)
    func `A sprint that had a ballot key gets another label and another key`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            func key(_ byte: UInt8) -> StoredBallotKey {
                StoredBallotKey(key: BallotKey(sprint: sprint.key, publicKey: [byte]), wrappedPrivateKey: [byte])
            }
            #expect(try await stores.ballotKeys.insert(key(1)) == key(1))
            try await close(sprint, in: stores)
            let reopened = try await reopen(sprint, in: stores)
            #expect(reopened == sprint.labelled(SprintLabel(year: 2026, number: 1, suffix: "b")))
            #expect(try await stores.record(of: sprint).sprint == reopened)
            #expect(try await stores.read { try $0.sprint(of: team.id, labelled: sprint.label) } == nil)
            #expect(try await stores.ballotKeys.key(id: key(1).key.id) == nil)
            #expect(try await stores.ballotKeys.insert(key(2)) == key(2))
            // The first label is free now, but devices know it with the first key.
            try await close(reopened, in: stores)
            let again = try await reopen(reopened, in: stores)
            #expect(again.label == SprintLabel(year: 2026, number: 1, suffix: "c"))
        }
    }

    /// Devices that have seen it reject another key when that sprint begins, which has the same label.
    @Test(arguments: StoreUnderTest.all)
    func `The ballot key of a sprint that has not begun is kept for it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            try await close(sprint, in: stores)
            let early = try await stores.start(early(of: team))
            func key(_ byte: UInt8) -> StoredBallotKey {
                StoredBallotKey(key: BallotKey(sprint: early.key, publicKey: [byte]), wrappedPrivateKey: [byte])
            }
            #expect(try await stores.ballotKeys.insert(key(1)) == key(1))
            _ = try await reopen(sprint, in: stores)
            #expect(try await stores.sprint(early.key) == nil)
            _ = try await stores.start(early)
            #expect(try await stores.ballotKeys.insert(key(2)) == key(1))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint with votes stays closed, whether they are published or not`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for (count, reason) in [(1, AppError.Reason.sprintHasVotes), (3, .sprintPublished)] {
                let team = try await stores.makeTeam()
                let sprint = try await stores.makeSprint(of: team)
                let voters = try await stores.makeVoters(count, in: team)
                _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
                try await close(sprint, in: stores)
                try await expectRejected(reason, sprint, in: stores)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint with a ballot paper, or of another tool, stays closed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var closed = PublicationState.initial
            closed.close(policy: .live, threshold: 3)
            let papers = Sprint.fortnight(of: try await stores.makeTeam().id)
            let plain = Sprint.fortnight(of: try await stores.makeTeam().id)
            let imported = Sprint(
                teamID: plain.teamID, start: plain.start, end: plain.end, closes: plain.closes, label: plain.label,
                threshold: 3, policy: .live, isImported: true)
            try await stores.importSprints([
                SprintRecord(sprint: papers, state: closed, eligible: 3, papers: PaperCounts(issued: 1)),
                SprintRecord(sprint: imported, state: closed, eligible: 3),
            ])
            try await expectRejected(.sprintHasPapers, papers, in: stores)
            try await expectRejected(.sprintImported, imported, in: stores)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint that is open, unknown or over is not opened`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            try await expectRejected(.sprintNotClosed, sprint, in: stores)
            try await expectRejected(.noSuchSprint, early(of: team), in: stores)
            try await expectRejected(.noSuchTeam, .fortnight(of: .random()), in: stores)
            try await close(sprint, in: stores)
            try await expectRejected(.sprintOver, sprint, in: stores, at: sprint.closes)
            // The next one has begun, and is not the wrong clock's.
            _ = try await stores.start(
                .fortnight(of: team.id, start: sprint.end, label: SprintLabel(year: 2026, number: 3)))
            try await expectRejected(.sprintOver, sprint, in: stores, at: sprint.closes + 1)
            #expect(try await reopen(sprint, in: stores, at: sprint.closes - 1) == sprint)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint stays closed if a later one has votes`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(1, in: team)
            let sprint = try await stores.makeSprint(of: team)
            try await close(sprint, in: stores)
            let early = try await stores.start(early(of: team))
            #expect(try await stores.cast([voters[0].ballot(in: early)])[0].isCounted)
            try await expectRejected(.laterSprintHasVotes, sprint, in: stores)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who open a sprint at once, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let sprint = try await stores.makeSprint(of: stores.makeTeam())
            try await close(sprint, in: stores)
            let opened = try await concurrently(6) { _ in
                do {
                    _ = try await SprintReopening(stores: stores, clock: WallClock { Instants.now })
                        .reopen(sprint.label, of: sprint.teamID)
                    return true
                } catch let error as AppError where error.reason == .sprintNotClosed {
                    return false
                }
            }
            #expect(opened.count { $0 } == 1)
        }
    }
}
