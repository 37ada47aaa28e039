import Domain
import Foundation
import Logging
import Services
import Storage
import Synchronization
import TestSupport
import Testing

/// For whom the service signs a ballot paper. Signatures share one thread, so each one that is useless keeps others
/// waiting.
@Suite(.timeLimit(.minutes(2))) struct PaperIssueContract {
    @Test(arguments: StoreUnderTest.all)
    func `Nothing is signed for a member who has voted or has another paper`(kind: StoreUnderTest) async throws {
        try await Self.withService(kind) { fixture in
            let (team, signer) = (fixture.teams[0], fixture.signer)
            let (plain, sealed) = (team.members[0], team.members[1])
            let paper = try await fixture.message(for: team)
            try await fixture.service.cast(
                by: plain, in: team.team.id, for: .label(fixture.label), happiness: try Happiness(tenths: 70),
                feedback: nil)
            await expectRejection(.conflict, reason: .alreadyVoted) {
                _ = try await fixture.issue(paper, to: plain, in: team)
            }
            #expect(signer.count == 0)

            let signature = try await fixture.issue(paper, to: sealed, in: team)
            #expect(signer.count == 1)
            let other = try await fixture.message(for: team)
            await expectRejection(.conflict, reason: .alreadyVoted) {
                _ = try await fixture.issue(other, to: sealed, in: team)
            }
            #expect(signer.count == 1)
            #expect(try await fixture.issue(paper, to: sealed, in: team) == signature)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Nothing is signed without a session, a membership and an open sprint`(kind: StoreUnderTest) async throws {
        try await Self.withService(kind) { fixture in
            let (team, stores) = (fixture.teams[0], fixture.teams[0].stores)
            let paper = try await fixture.message(for: team)
            let stranger = fixture.teams[1].members[0]
            await expectRejection(.notFound, reason: .noSuchTeam) {
                _ = try await fixture.issue(paper, to: stranger, in: team)
            }
            let loggedOut = Principal(userID: team.members[0].userID, sessionID: .random())
            await expectRejection(.unauthenticated, reason: .sessionEnded) {
                _ = try await fixture.issue(paper, to: loggedOut, in: team)
            }
            // This process still remembers the membership.
            let removed = team.members[1]
            _ = try await fixture.service.ballotKey(for: removed, in: team.team.id, for: fixture.label)
            try await stores.remove(userID: removed.userID, from: team.team.id)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                _ = try await fixture.issue(paper, to: removed, in: team)
            }
            let running = try #require(try await stores.latestSprint(of: team.team.id))
            #expect(try await stores.ballots.close(running.sprint.key))
            await #expect(throws: AppError.self) {
                _ = try await fixture.issue(paper, to: team.members[2], in: team)
            }
            #expect(fixture.signer.count == 0)
        }
    }

    /// More connections than the queue of signatures has places.
    @Test(arguments: StoreUnderTest.all)
    func `A team gets papers while a member of another asks on 700 connections`(kind: StoreUnderTest) async throws {
        try await Self.withService(kind) { fixture in
            let (team, other) = (fixture.teams[0], fixture.teams[1])
            let papers = (try await fixture.message(for: team), try await fixture.message(for: other))
            fixture.signer.hold()
            async let first = fixture.issue(papers.0, to: team.members[0], in: team)
            await fixture.signer.untilASignatureBegins()

            let refusals: [AppError.Reason?] = try await concurrently(700) { number in
                let message = [UInt8](repeating: 0, count: 254) + [UInt8(number / 256), UInt8(number % 256)]
                do {
                    _ = try await fixture.issue(message, to: team.members[0], in: team)
                    return nil
                } catch let error as AppError {
                    return error.reason
                }
            }
            #expect(refusals.allSatisfy { $0 == .paperUnderWay })

            async let second = fixture.issue(papers.1, to: other.members[0], in: other)
            fixture.signer.release()
            let signatures = [try await first, try await second]
            #expect(signatures.allSatisfy { $0.count == BallotKey.signatureLength })
            #expect(fixture.signer.count == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A request is foretold as it is then decided, and nothing is stored`(kind: StoreUnderTest) async throws {
        try await Self.withService(kind) { fixture in
            let (team, now) = (fixture.teams[0], TestTeam.firstMonday + TestTeam.day)
            let stores = team.stores
            let ballotKey = try await fixture.service.ballotKey(
                for: team.members[0], in: team.team.id, for: fixture.label)
            let key = ballotKey.sprint
            func request(of member: Principal, message: UInt8 = 1) -> PaperRequest {
                PaperRequest(
                    voter: Ballot.Voter(
                        sessionID: member.sessionID, userID: member.userID, receipt: team.receipt(of: member, in: key)),
                    blindedMessage: [message], secret: TestTeam.secret)
            }
            let (plain, sealed) = (team.members[0], team.members[1])
            let votes = [BallotBoxEntry.ballot(try team.ballot(of: plain, in: key)), .request(request(of: sealed))]
            #expect(try await stores.ballots.outcome(of: request(of: plain), at: now) == .issued)
            #expect(try await stores.ballots.outcome(of: request(of: sealed), at: now) == .issued)
            #expect(try await stores.sprint(key)?.papers == PaperCounts())
            #expect(try await stores.ballots.contains(team.receipt(of: sealed, in: key)) == false)
            let store = stores.ballots
            _ = try await BlockingCall { try store.cast(votes, at: now) }.value
            #expect(try await stores.ballots.outcome(of: request(of: plain), at: now) == .alreadyVoted)
            #expect(try await stores.ballots.outcome(of: request(of: sealed), at: now) == .issued)
            #expect(try await stores.ballots.outcome(of: request(of: sealed, message: 2), at: now) == .alreadyVoted)
            let late = TestTeam.firstMonday + 5_000 * TestTeam.day
            #expect(try await stores.ballots.outcome(of: request(of: sealed), at: late) == .sessionEnded)
            let stranger = fixture.teams[1].members[0]
            #expect(try await stores.ballots.outcome(of: request(of: stranger), at: now) == .notAMember)
            #expect(try await stores.ballots.close(key))
            #expect(try await stores.ballots.outcome(of: request(of: sealed), at: now) == .sprintClosed)
        }
    }

    private struct Fixture: Sendable {
        /// Both have the same calendar.
        let teams: [TestTeam]
        let service: BallotService
        let signer: ObservedSigner
        let label: SprintLabel

        /// A blinded message of a new paper.
        func message(for team: TestTeam) async throws -> [UInt8] {
            let key = try await service.ballotKey(for: team.members[0], in: team.team.id, for: label)
            return Array(try BlindedPaper(publicKey: key.publicKey).blindedMessage)
        }

        func issue(_ message: [UInt8], to member: Principal, in team: TestTeam) async throws -> [UInt8] {
            try await service.issuePaper(to: member, in: team.team.id, for: label, blindedMessage: message)
        }
    }

    /// Lends a service with two teams of four members.
    private static func withService(_ kind: StoreUnderTest, _ body: (Fixture) async throws -> Void) async throws {
        try await kind.withStores { stores in
            let teams = [
                try await TestTeam.make(in: stores, members: 4), try await TestTeam.make(in: stores, members: 4),
            ]
            let clock = SettableClock(TestTeam.firstMonday + TestTeam.day).wall
            let logger = Logger(label: "test")
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: clock)
            let box = BallotBox(store: stores.ballots, partitions: 1, clock: clock)
            defer { box.close() }
            let signer = ObservedSigner()
            let service = BallotService(
                box: box,
                keys: BallotKeyService(
                    store: stores.ballotKeys, secret: TestTeam.secret, clock: clock, logger: logger,
                    onSignature: { signer.observe() }),
                stores: stores, sprints: sprints, memberships: MembershipCache(stores: stores, clock: clock),
                secret: TestTeam.secret, publicURL: "https://happiness.example.org", clock: clock, logger: logger)
            let label = try await sprints.runningSprint(of: teams[0].team.id).label
            try await body(Fixture(teams: teams, service: service, signer: signer, label: label))
        }
    }
}

/// Counts signatures, and can delay one.
private final class ObservedSigner: Sendable {
    private struct State {
        var count = 0
        var isHeld = false
    }

    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)
    private let (beginnings, begin) = AsyncStream.makeStream(of: Void.self)

    var count: Int { state.withLock { $0.count } }

    /// Makes the next signature wait for `release`.
    func hold() {
        state.withLock { $0.isHeld = true }
    }

    func release() {
        gate.signal()
    }

    func untilASignatureBegins() async {
        for await _ in beginnings { break }
    }

    /// Blocks the thread that signs.
    func observe() {
        let isHeld = state.withLock { state in
            defer { state.isHeld = false }
            state.count += 1
            return state.isHeld
        }
        if isHeld {
            begin.yield()
            gate.wait()
        }
    }
}
