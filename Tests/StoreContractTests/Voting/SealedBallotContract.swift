import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// Ballot papers and the ballots cast with them.
@Suite struct SealedBallotContract {
    @Test(arguments: StoreUnderTest.all)
    func `A member gets one paper, and the same request gets the same answer`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, voters in
            let first = voters[0].request(in: sprint, message: 1)
            #expect(try await stores.put([first, first]) == [.issued, .issued])
            #expect(try await stores.put([first]) == [.issued])
            #expect(try await stores.put([voters[0].request(in: sprint, message: 2)]) == [.alreadyVoted])
            #expect(try await stores.cast([voters[0].ballot(in: sprint)]) == [.alreadyVoted])
            let record = try await stores.record(of: sprint)
            #expect(record.papers == PaperCounts(issued: 1, spent: 0))
            #expect(record.state.current.count == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member who has voted gets no paper`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, voters in
            let ballot = BallotBoxEntry.ballot(try voters[0].ballot(in: sprint))
            let request = voters[0].request(in: sprint)
            #expect(try await stores.put([ballot, request]) == [.counted(mayComplete: false), .alreadyVoted])
            #expect(try await stores.put([request]) == [.alreadyVoted])
            #expect(try await stores.record(of: sprint).papers == PaperCounts())
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Only members who are logged in get a paper`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, voters in
            let stranger = try await stores.makeStranger()
            #expect(try await stores.put([stranger.request(in: sprint)]) == [.notAMember])
            try await stores.write { try $0.endSession(voters[0].session.id) }
            #expect(try await stores.put([voters[0].request(in: sprint)]) == [.sessionEnded])
            _ = try await stores.ballots.close(sprint.key)
            #expect(try await stores.put([voters[1].request(in: sprint)]) == [.sprintClosed])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A paper is spent once, by anyone`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, _ in
            let paper = try SpentPaper.made(in: sprint, number: 1)
            let outcomes = try await concurrently(50) { number in
                try await stores.put([.ballot(try .sealed(paper, tenths: number))])[0]
            }
            #expect(outcomes.count(where: \.isCounted) == 1)
            #expect(outcomes.count(where: { $0 == .alreadyCounted }) == 49)
            let record = try await stores.record(of: sprint)
            #expect(record.state.current.count == 1)
            #expect(record.papers == PaperCounts(issued: 0, spent: 1))
            #expect(try await stores.ballotKeys.isSpent(paper))
            #expect(try await stores.ballotKeys.isSpent(try .made(in: sprint, number: 2)) == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Sealed and plain ballots are counted together`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, voters in
            let entries: [BallotBoxEntry] = [
                .ballot(try voters[0].ballot(in: sprint, tenths: 10, feedback: "plain")),
                voters[1].request(in: sprint),
                .ballot(try .sealed(try .made(in: sprint, number: 1), tenths: 20, feedback: "sealed")),
                .ballot(try .sealed(try .made(in: sprint, number: 2), tenths: 30)),
            ]
            #expect(
                try await stores.put(entries) == [
                    .counted(mayComplete: false), .issued, .counted(mayComplete: false), .counted(mayComplete: false),
                ])
            #expect(try await stores.system.check().isEmpty)
            #expect(try await stores.ballots.close(sprint.key))
            let state = try await stores.record(of: sprint).state
            #expect(state.published.count == 3 && state.published.sum == 60)
            let feedback = try await stores.ballots.feedback(
                of: sprint.key, publishedNumber: state.publishedNumber, secret: Voter.secret, after: nil, limit: 9)
            #expect(Set(feedback.map(\.text)) == ["plain", "sealed"])
            let published = try await stores.ballotKeys.spentPapers(
                of: sprint.key, publishedNumber: state.publishedNumber)
            let hashes = published.map(\.hash)
            #expect(hashes == hashes.sorted { $0.lexicographicallyPrecedes($1) })
            #expect(published.count == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A spent paper is listed with its signature, and another signature of it counts no second ballot`(
        kind: StoreUnderTest
    ) async throws {
        try await withSprint(kind) { stores, sprint, _ in
            let paper = try SpentPaper.made(in: sprint, number: 1)
            let again = try SpentPaper.made(in: sprint, number: 1, signature: 2)
            // In one batch, where the store does not know the first one yet, and in a later one.
            #expect(
                try await stores.put([.ballot(try .sealed(paper, tenths: 50)), .ballot(try .sealed(again, tenths: 90))])
                    == [.counted(mayComplete: false), .alreadyCounted])
            #expect(try await stores.put([.ballot(try .sealed(again, tenths: 90))]) == [.alreadyCounted])
            let listed = try await stores.ballotKeys.spentPapers(of: sprint.key, publishedNumber: .max)
            #expect(listed == [paper] && listed.map(\.signed) == [paper.signed])
            #expect(listed.first?.signed != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The papers of ballots that stay unpublished are destroyed`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, _ in
            _ = try await stores.put(
                try (0..<2).map { .ballot(try .sealed(try .made(in: sprint, number: $0), tenths: 50)) })
            #expect(try await stores.ballots.close(sprint.key))
            let number = try await stores.record(of: sprint).state.publishedNumber
            #expect(try await stores.ballotKeys.spentPapers(of: sprint.key, publishedNumber: number).isEmpty)
            try await stores.ballots.clear(sprint.key, secret: Voter.secret)
            #expect(try await stores.ballotKeys.spentPapers(of: sprint.key, publishedNumber: .max).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A cleared sprint does not show which papers were published together`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, _ in
            for group in [0..<3, 3..<6] {
                _ = try await stores.put(
                    try group.map { .ballot(try .sealed(try .made(in: sprint, number: $0), tenths: 50)) })
            }
            #expect(try await stores.ballots.close(sprint.key))
            let number = try await stores.record(of: sprint).state.publishedNumber
            func papers(upTo number: Int) async throws -> Int {
                try await stores.ballotKeys.spentPapers(of: sprint.key, publishedNumber: number).count
            }
            #expect(try await papers(upTo: 1) == 3)
            #expect(try await papers(upTo: number) == 6)
            try await stores.ballots.clear(sprint.key, secret: Voter.secret)
            #expect(try await papers(upTo: 1) == 0)
            #expect(try await papers(upTo: number) == 6)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint does not close early while a paper waits`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, voters in
            _ = try await stores.put(voters.map { $0.request(in: sprint) })
            _ = try await stores.put(
                try (0..<3).map { .ballot(try .sealed(try .made(in: sprint, number: $0), tenths: 50)) })
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret) == false)
            let last = try await stores.put([.ballot(try .sealed(try .made(in: sprint, number: 3), tenths: 50))])
            #expect(last == [.counted(mayComplete: true)])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The close destroys the private key and tells how many ballots were sealed`(
        kind: StoreUnderTest
    ) async throws {
        try await withSprint(kind) { stores, sprint, voters in
            let key = StoredBallotKey.made(in: sprint)
            #expect(try await stores.ballotKeys.insert(key) == key)
            #expect(try await stores.ballotKeys.insert(.made(in: sprint, byte: 2)) == key)
            #expect(try await stores.ballotKeys.key(of: sprint.key) == key)
            #expect(try await stores.ballotKeys.key(id: key.key.id) == key)
            _ = try await stores.put(
                try (0..<3).map { .ballot(try .sealed(try .made(in: sprint, number: $0), tenths: 50)) })
            _ = try await stores.cast(try voters.prefix(3).map { try $0.ballot(in: sprint) })
            #expect(try await stores.ballots.close(sprint.key))
            #expect(try await stores.record(of: sprint).sealed == 3)
            let closed = try #require(try await stores.ballotKeys.key(of: sprint.key))
            #expect(closed.key == key.key && closed.wrappedPrivateKey == nil)
            try await stores.ballots.clear(sprint.key, secret: Voter.secret)
            #expect(try await stores.ballotKeys.spentPapers(of: sprint.key, publishedNumber: 9).count == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Fewer sealed or plain ballots than the threshold are not told`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, voters in
            _ = try await stores.put(
                try (0..<2).map { .ballot(try .sealed(try .made(in: sprint, number: $0), tenths: 50)) })
            _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            #expect(try await stores.ballots.close(sprint.key))
            #expect(try await stores.record(of: sprint).sealed == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A closed sprint gets no key`(kind: StoreUnderTest) async throws {
        try await withSprint(kind) { stores, sprint, _ in
            #expect(try await stores.ballotKeys.takesKey(sprint.key))
            _ = try await stores.ballots.close(sprint.key)
            #expect(try await stores.ballotKeys.takesKey(sprint.key) == false)
            #expect(try await stores.ballotKeys.insert(.made(in: sprint)) == nil)
        }
    }

    /// A running sprint of a team of four, with the threshold 3.
    private func withSprint(
        _ kind: StoreUnderTest, _ body: (Stores, Sprint, [Voter]) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(4, in: team)
            try await body(stores, try await stores.makeSprint(of: team), voters)
        }
    }
}

extension Stores {
    /// Puts entries into the ballot box in one call.
    fileprivate func put(_ entries: [BallotBoxEntry]) async throws -> [BallotOutcome] {
        let store = ballots
        return try await BlockingCall { try store.cast(entries, at: Instants.now) }.value
    }
}

extension Voter {
    /// A request for a paper; another message makes it another request.
    fileprivate func request(in sprint: Sprint, message: UInt8 = 1) -> BallotBoxEntry {
        let voter = Ballot.Voter(sessionID: session.id, userID: user.id, receipt: receipt(in: sprint))
        return .request(
            PaperRequest(voter: voter, blindedMessage: [message], secret: Self.secret))
    }
}

extension Ballot {
    fileprivate static func sealed(_ paper: SpentPaper, tenths: Int, feedback: String? = nil) throws -> Ballot {
        Ballot(
            paper: paper, happiness: try Happiness(tenths: tenths),
            feedback: try feedback.flatMap { try FeedbackText($0) }.map {
                try SealedFeedback($0, in: paper.sprint, secret: TestTeam.secret)
            })
    }
}

extension StoredBallotKey {
    fileprivate static func made(in sprint: Sprint, byte: UInt8 = 1) -> StoredBallotKey {
        StoredBallotKey(
            key: BallotKey(sprint: sprint.key, publicKey: Array(repeating: byte, count: 294)),
            wrappedPrivateKey: [byte, 2, 3])
    }
}

extension SpentPaper {
    /// Another number is another paper.
    fileprivate static func made(in sprint: Sprint, number: Int, signature: UInt8 = 1) throws -> SpentPaper {
        let bytes = Array(repeating: UInt8(number), count: BallotPaper.length)
        let signed = SignedPaper(
            try #require(BallotPaper(bytes: bytes)),
            signature: Array(repeating: signature, count: BallotKey.signatureLength))
        return SpentPaper(signed, key: StoredBallotKey.made(in: sprint).key)
    }
}
