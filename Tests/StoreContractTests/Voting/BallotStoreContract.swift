import Domain
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct BallotStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `A ballot is counted, and its receipt kept`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(2, in: team)
            let sprint = try await stores.makeSprint(of: team)
            #expect(try await stores.cast([voters[0].ballot(in: sprint, tenths: 55)]) == [.counted(mayComplete: false)])
            let tally = try await stores.record(of: sprint).state.current
            #expect(tally.count == 1)
            #expect(tally.sum == 55)
            #expect(tally.distribution == [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
            #expect(try await stores.ballots.contains(voters[0].receipt(in: sprint)))
            #expect(try await stores.ballots.contains(voters[1].receipt(in: sprint)) == false)
            #expect(try await stores.cast([]).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Two hundred concurrent ballots of one person count once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voter = try await stores.makeVoters(1, in: team)[0]
            let sprint = try await stores.makeSprint(of: team)
            let outcomes = try await concurrently(200) { number in
                try await stores.cast([voter.ballot(in: sprint, tenths: number % 101)])[0]
            }
            #expect(outcomes.count(where: \.isCounted) == 1)
            #expect(outcomes.count(where: { $0 == .alreadyVoted }) == 199)
            #expect(try await stores.record(of: sprint).state.current.count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of one person's two hundred ballots in one call, the first is counted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voter = try await stores.makeVoters(1, in: team)[0]
            let sprint = try await stores.makeSprint(of: team)
            let outcomes = try await stores.cast(
                try (0..<200).map { try voter.ballot(in: sprint, tenths: $0 % 101, feedback: "number \($0)") })
            #expect(outcomes == [.counted(mayComplete: true)] + Array(repeating: .alreadyVoted, count: 199))
            let state = try await stores.record(of: sprint).state
            #expect(state.current.count == 1)
            #expect(state.current.sum == 0)
            let feedback = try await stores.ballots.feedback(
                of: sprint.key, publishedNumber: 9, secret: Voter.secret, after: nil, limit: 9)
            #expect(feedback.map(\.text) == ["number 0"])
        }
    }

    @Test(.thorough, arguments: StoreUnderTest.all)
    func `Five hundred people at once give the exact count and sum`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(500, in: team)
            let sprint = try await stores.makeSprint(of: team, policy: .close)
            let outcomes = try await concurrently(50) { part in
                try await stores.cast(
                    try (0..<10).map { try voters[part * 10 + $0].ballot(in: sprint, tenths: (part * 10 + $0) % 101) })
            }.flatMap { $0 }
            #expect(outcomes.allSatisfy { $0.isCounted })
            #expect(outcomes.contains(.counted(mayComplete: true)))
            let tally = try await stores.record(of: sprint).state.current
            #expect(tally.count == 500)
            #expect(tally.sum == (0..<500).reduce(0) { $0 + $1 % 101 })
            #expect(tally.distribution.reduce(0, +) == 500)
            let receipts = voters.map { $0.receipt(in: sprint) }
            #expect(try await stores.ballots.existing(among: receipts).count == 500)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A refused ballot harms no other of the call`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(6, in: team)
            let stranger = try await stores.makeStranger()
            try await stores.write { try $0.endSession(voters[2].session.id) }
            _ = try await stores.cast([voters[3].ballot(in: sprint, tenths: 1)])
            let thief = Voter(user: voters[4].user, session: stranger.session)
            let closed = try await stores.makeSprint(
                of: team, start: sprint.end, label: SprintLabel(year: 2026, number: 2))
            _ = try await stores.ballots.close(closed.key)
            let unknown = Sprint.fortnight(of: team.id, start: Instants.start + 900 * Instants.day)

            let outcomes = try await stores.cast([
                voters[0].ballot(in: sprint, tenths: 100),
                stranger.ballot(in: sprint, feedback: "stranger"),
                voters[2].ballot(in: sprint, feedback: "ended"),
                voters[3].ballot(in: sprint, feedback: "again"),
                thief.ballot(in: sprint, feedback: "thief"),
                voters[5].ballot(in: closed, feedback: "closed"),
                voters[5].ballot(in: unknown, feedback: "unknown"),
                voters[1].ballot(in: sprint, tenths: 50),
            ])
            let expected: [BallotOutcome] = [
                .counted(mayComplete: false), .notAMember, .sessionEnded, .alreadyVoted, .sessionEnded, .sprintClosed,
                .sprintClosed, .counted(mayComplete: false),
            ]
            #expect(outcomes == expected)
            let tally = try await stores.record(of: sprint).state.current
            #expect(tally.count == 3)
            #expect(tally.sum == 151)
            #expect(
                try await stores.ballots.feedback(
                    of: sprint.key, publishedNumber: 9, secret: Voter.secret, after: nil, limit: 9
                ).isEmpty)
            for refused in [stranger, voters[2], thief] {
                #expect(try await stores.ballots.contains(refused.receipt(in: sprint)) == false)
            }
            #expect(try await stores.ballots.contains(voters[5].receipt(in: closed)) == false)
            #expect(try await stores.record(of: closed).state.current.count == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A session is valid until it expires`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voter = try await stores.makeVoters(1, in: team)[0]
            let ballot = try voter.ballot(in: sprint)
            #expect(try await stores.cast([ballot], at: voter.session.expires) == [.sessionEnded])
            #expect(try await stores.cast([ballot], at: voter.session.expires - 1)[0].isCounted)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A former member has no ballot`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voter = try await stores.makeVoters(1, in: team)[0]
            try await stores.remove(userID: voter.user.id, from: team.id)
            #expect(try await stores.cast([voter.ballot(in: sprint)]) == [.notAMember])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `One call counts ballots of several teams`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let teams = [try await stores.makeTeam(), try await stores.makeTeam()]
            var ballots: [Ballot] = []
            var sprints: [Sprint] = []
            for (index, team) in teams.enumerated() {
                let sprint = try await stores.makeSprint(of: team)
                sprints.append(sprint)
                for voter in try await stores.makeVoters(2 + index, in: team) {
                    ballots.append(try voter.ballot(in: sprint, tenths: 10))
                }
            }
            let outcomes = try await stores.cast(ballots)
            #expect(outcomes == Array(repeating: .counted(mayComplete: true), count: 5))
            #expect(try await stores.record(of: sprints[0]).state.current.count == 2)
            #expect(try await stores.record(of: sprints[1]).state.current.count == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The stored state is that of the publication policy`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for policy in PublicationPolicy.allCases {
                let team = try await stores.makeTeam()
                let sprint = try await stores.makeSprint(of: team, policy: policy)
                let voters = try await stores.makeVoters(13, in: team)
                var expected = PublicationState.initial
                var publications = try #require(try await stores.publicationNumber(of: team.id))
                var rest = voters[...]
                for size in [1, 2, 3, 1, 4, 2] {
                    let part = rest.prefix(size)
                    rest = rest.dropFirst(size)
                    let ballots = try part.map { try $0.ballot(in: sprint, tenths: size * 7) }
                    let before = expected.publishedNumber
                    expected.count(ballots, policy: policy, threshold: 3)
                    publications += expected.publishedNumber == before ? 0 : 1
                    _ = try await stores.cast(ballots)
                    #expect(try await stores.record(of: sprint).state == expected, "\(policy)")
                    #expect(try await stores.publicationNumber(of: team.id) == publications, "\(policy)")
                }
                expected.close(policy: policy, threshold: 3)
                #expect(try await stores.ballots.close(sprint.key))
                #expect(try await stores.record(of: sprint).state == expected, "\(policy)")
                #expect(try await stores.publicationNumber(of: team.id) == publications + 1, "\(policy)")
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A raised threshold applies to the next ballot`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team, threshold: 2)
            let voters = try await stores.makeVoters(5, in: team)
            try await stores.updateSettings(id: team.id, TeamSettings(threshold: 5))
            for voter in voters.prefix(4) {
                _ = try await stores.cast([voter.ballot(in: sprint)])
            }
            #expect(try await stores.record(of: sprint).state.snapshotNumber == 0)
            _ = try await stores.cast([voters[4].ballot(in: sprint)])
            #expect(try await stores.record(of: sprint).state.snapshotNumber == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The publication number grows with every publication of every open sprint`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(8, in: team)
            var numbers = [try #require(try await stores.publicationNumber(of: team.id))]
            func record() async throws {
                numbers.append(try #require(try await stores.publicationNumber(of: team.id)))
            }
            // Two sprints are open during the first one's grace period.
            let first = try await stores.makeSprint(of: team, policy: .immediate)
            try await record()
            let second = try await stores.makeSprint(
                of: team, start: first.end, label: SprintLabel(year: 2026, number: 2), policy: .immediate)
            try await record()
            for voter in voters.prefix(5) {
                for sprint in [first, second] {
                    _ = try await stores.cast([voter.ballot(in: sprint)])
                    try await record()
                }
            }
            _ = try await stores.ballots.close(first.key)
            try await record()
            _ = try await stores.makeSprint(of: team, start: second.end, label: SprintLabel(year: 2026, number: 3))
            try await record()
            _ = try await stores.cast([voters[5].ballot(in: second)])
            try await record()
            _ = try await stores.ballots.close(second.key)
            try await record()
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(numbers)")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Feedback is released with its snapshot`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(7, in: team)
            for (number, voter) in voters.enumerated() {
                _ = try await stores.cast([voter.ballot(in: sprint, feedback: "text \(number)")])
            }
            func texts(_ published: Int) async throws -> Set<String> {
                let feedback = try await stores.ballots.feedback(
                    of: sprint.key, publishedNumber: published, secret: Voter.secret, after: nil, limit: 100)
                return Set(feedback.map(\.text))
            }
            #expect(try await texts(0).isEmpty)
            #expect(try await texts(1) == ["text 0", "text 1", "text 2"])
            #expect(try await texts(2) == Set((0..<6).map { "text \($0)" }))
            #expect(try await texts(3) == Set((0..<7).map { "text \($0)" }))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Feedback is listed in the order of its random IDs, in pages`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let texts = try (10..<40).map { try #require(try FeedbackText("text \($0)")) }
            try await stores.importFeedback(texts.map { (key: sprint.key, text: $0) })
            var listed: [Feedback] = []
            while true {
                let page = try await stores.ballots.feedback(
                    of: sprint.key, publishedNumber: 1, secret: Voter.secret, after: listed.last?.id, limit: 7)
                if page.isEmpty { break }
                #expect(page.count <= 7)
                listed += page
            }
            #expect(listed.map(\.id) == listed.map(\.id).sorted())
            #expect(Set(listed.map(\.text)) == Set(texts.map(\.text)))
            #expect(listed.count == 30)
            // One of 30! orders: ids in the order of arrival would always result in this one.
            #expect(listed.map(\.text) != texts.map(\.text))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Feedback of several sprints is read at once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let first = try await stores.makeSprint(of: team)
            let second = try await stores.makeSprint(of: team, start: first.end)
            let text = try #require(try FeedbackText("Größe 👍\n'; DROP TABLE users;--"))
            try await stores.importFeedback([(key: first.key, text: text), (key: second.key, text: text)])
            let both = try await stores.ballots.feedback(
                teamID: team.id, publishedNumbers: [first.start: 1, second.start: 0], secret: Voter.secret)
            #expect(both[first.start]?.map(\.text) == [text.text])
            #expect(both[second.start, default: []].isEmpty)
            let foreign = try await stores.ballots.feedback(
                teamID: .random(), publishedNumbers: [first.start: 1], secret: Voter.secret)
            #expect(foreign[first.start, default: []].isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Existing receipts are found among unknown ones`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(3, in: team)
            _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            let receipts = voters.map { $0.receipt(in: sprint) }
            let unknown = (0..<1_200).map { _ in
                Receipt(secret: Voter.secret, sprint: sprint.key, userID: .random())
            }
            #expect(try await stores.ballots.existing(among: receipts + unknown).count == 3)
            #expect(try await stores.ballots.existing(among: []).count == 0)
        }
    }
}
