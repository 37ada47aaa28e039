import Crypto
import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Closing and clearing a sprint: what is published, what is kept, and that no ballot is lost.
@Suite struct SprintClosingContract {
    @Test(arguments: StoreUnderTest.all)
    func `A closed sprint takes no ballot and closes once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(4, in: team)
            _ = try await stores.cast(try voters.prefix(3).map { try $0.ballot(in: sprint) })
            let number = try #require(try await stores.publicationNumber(of: team.id))
            let closings = try await concurrently(10) { _ in
                try await stores.ballots.close(sprint.key)
            }
            #expect(closings.count(where: { $0 }) == 1)
            let late = try [voters[3], voters[0]].map { try $0.ballot(in: sprint) }
            #expect(try await stores.cast(late) == [.sprintClosed, .sprintClosed])
            let record = try await stores.record(of: sprint)
            #expect(record.state.isClosed)
            #expect(record.state.published.count == 3)
            #expect(record.eligible == 4)
            #expect(try await stores.publicationNumber(of: team.id) == number + 1)
            let unknown = Sprint.Key(teamID: team.id, start: sprint.end)
            #expect(try await stores.ballots.close(unknown) == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint closes early only when every member has voted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(3, in: team)
            let outcomes = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            #expect(outcomes == Array(repeating: .counted(mayComplete: true), count: 3))
            let newcomer = try await stores.makeVoters(1, in: team)[0]
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret) == false)
            // As many ballots as members are not enough: one of them is from a former member.
            try await stores.remove(userID: voters[0].user.id, from: team.id)
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret) == false)
            #expect(try await stores.cast([newcomer.ballot(in: sprint)])[0].isCounted)
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret))
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret) == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint does not close early while someone is invited`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(3, in: team)
            _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            let invitation = Invitation(
                email: "invited@example.org", role: .member, teamID: team.id, teamRole: .member, locale: "en",
                sent: try #require(CalendarDay("2026-01-08")))
            try await stores.insert(invitation)
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret) == false)
            _ = try await stores.write { try $0.deleteInvitation(invitation.id) }
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A team without members does not close its sprint early`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let sprint = try await stores.makeSprint(of: stores.makeTeam())
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret) == false)
        }
    }

    /// The threshold may be raised between the last ballot and the close.
    @Test(arguments: StoreUnderTest.all)
    func `A sprint closes early only if that publishes everything`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(2, in: team)
            _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret) == false)
            #expect(try await stores.sprint(sprint.key)?.state.isClosed == false)
            _ = try await stores.cast([stores.makeVoters(1, in: team)[0].ballot(in: sprint)])
            #expect(try await stores.ballots.closeEarly(sprint.key, secret: Voter.secret))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Feedback is deleted after its days, and other feedback stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            // The second one is not cleared yet, and the third one ends later.
            var sprints: [Sprint] = []
            for _ in 0..<3 {
                let team = try await stores.makeTeam()
                let start = Instants.start + (sprints.count == 2 ? 3_600 : 0)
                let sprint = try await stores.makeSprint(of: team, start: start)
                let voters = try await stores.makeVoters(3, in: team)
                _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint, feedback: "a text") })
                #expect(try await stores.ballots.close(sprint.key))
                if sprints.count != 1 { try await stores.ballots.clear(sprint.key, secret: Voter.secret) }
                sprints.append(sprint)
            }
            func texts() async throws -> [Int] {
                var counts: [Int] = []
                for sprint in sprints {
                    counts.append(
                        try await stores.ballots.feedback(
                            of: sprint.key, publishedNumber: 9, secret: Voter.secret, after: nil, limit: 9
                        ).count)
                }
                return counts
            }
            let numbers = try await publicationNumbers(of: sprints, in: stores)
            try await stores.ballots.deleteFeedback(ofSprintsEndedBefore: sprints[0].end)
            #expect(try await texts() == [3, 3, 3], "it ended at this instant, not before")
            #expect(try await publicationNumbers(of: sprints, in: stores) == numbers)

            try await stores.ballots.deleteFeedback(ofSprintsEndedBefore: sprints[0].end + 1)
            #expect(try await texts() == [0, 3, 3])
            // What readers have cached is read again.
            #expect(try await publicationNumbers(of: sprints, in: stores) == [numbers[0] + 1, numbers[1], numbers[2]])
            #expect(try await stores.record(of: sprints[0]).state.published.count == 3)

            try await stores.ballots.clear(sprints[1].key, secret: Voter.secret)
            try await stores.ballots.deleteFeedback(ofSprintsEndedBefore: sprints[0].end + 1)
            #expect(try await texts() == [0, 0, 3])
        }
    }

    private func publicationNumbers(of sprints: [Sprint], in stores: Stores) async throws -> [Int] {
        var numbers: [Int] = []
        for sprint in sprints {
            numbers.append(try #require(try await stores.publicationNumber(of: sprint.teamID)))
        }
        return numbers
    }

    @Test(arguments: StoreUnderTest.all)
    func `The number eligible is never below the ballots published, and stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(3, in: team)
            _ = try await stores.cast(try voters.map { try $0.ballot(in: sprint) })
            for voter in voters.prefix(2) {
                try await stores.remove(userID: voter.user.id, from: team.id)
            }
            #expect(try await stores.ballots.close(sprint.key))
            _ = try await stores.makeVoters(9, in: team)
            #expect(try await stores.record(of: sprint).eligible == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The number eligible does not tell how many ballots stay unpublished`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(4, in: team)
            _ = try await stores.cast(try voters.prefix(2).map { try $0.ballot(in: sprint) })
            for voter in voters.prefix(3) {
                try await stores.remove(userID: voter.user.id, from: team.id)
            }
            #expect(try await stores.ballots.close(sprint.key))
            #expect(try await stores.record(of: sprint).eligible == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A cleared sprint keeps its published texts and nothing else`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let other = try await stores.makeSprint(of: stores.makeTeam())
            let voters = try await stores.makeVoters(7, in: team)
            for (number, voter) in voters.prefix(6).enumerated() {
                _ = try await stores.cast([voter.ballot(in: sprint, feedback: "text \(number)")])
            }
            let stranger = Receipt(secret: Voter.secret, sprint: other.key, userID: voters[0].user.id)
            func texts(_ number: Int = 9) async throws -> [Feedback] {
                try await stores.ballots.feedback(
                    of: sprint.key, publishedNumber: number, secret: Voter.secret, after: nil, limit: 100)
            }
            let before = try await texts()
            // Not before it is closed.
            try await stores.ballots.clear(sprint.key, secret: Voter.secret)
            #expect(try await texts() == before)
            #expect(try await stores.ballots.contains(voters[0].receipt(in: sprint)))

            _ = try await stores.ballots.close(sprint.key)
            let number = try #require(try await stores.publicationNumber(of: team.id))
            #expect(try await stores.record(of: sprint).isCleared == false)
            try await stores.ballots.clear(sprint.key, secret: Voter.secret)
            let cleared = try await texts(stores.record(of: sprint).state.publishedNumber)
            #expect(Set(cleared.map(\.text)) == Set((0..<6).map { "text \($0)" }))
            #expect(Set(cleared.map(\.id)).isDisjoint(with: before.map(\.id)))
            #expect(cleared.map(\.id) == cleared.map(\.id).sorted())
            #expect(try await stores.ballots.existing(among: voters.map { $0.receipt(in: sprint) }).isEmpty)
            #expect(try await stores.record(of: sprint).isCleared)
            #expect(try #require(try await stores.publicationNumber(of: team.id)) > number)
            #expect(try await stores.ballots.contains(stranger) == false)

            // Once.
            try await stores.ballots.clear(sprint.key, secret: Voter.secret)
            #expect(try await texts() == cleared)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Texts that stay unpublished are removed when their sprint is cleared`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(3, in: team)
            for voter in voters.prefix(2) {
                _ = try await stores.cast([voter.ballot(in: sprint, feedback: "too few")])
            }
            _ = try await stores.ballots.close(sprint.key)
            try await stores.ballots.clear(sprint.key, secret: Voter.secret)
            let texts = try await stores.ballots.feedback(
                of: sprint.key, publishedNumber: 9, secret: Voter.secret, after: nil, limit: 100)
            #expect(texts.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Feedback cannot be opened with another secret`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team, policy: .immediate)
            let voter = try await stores.makeVoters(1, in: team)[0]
            _ = try await stores.cast([voter.ballot(in: sprint, feedback: "sealed")])
            let other = BallotSecret(key: SymmetricKey(size: .bits256))
            #expect(
                try await stores.ballots.feedback(
                    of: sprint.key, publishedNumber: 9, secret: other, after: nil, limit: 100
                ).isEmpty)
            #expect(
                try await stores.ballots.feedback(
                    of: sprint.key, publishedNumber: 9, secret: Voter.secret, after: nil, limit: 100
                ).map(\.text) == ["sealed"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Ballots that race with the close are counted or refused, never lost`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(40, in: team)
            let outcomes = try await concurrently(41) { number -> BallotOutcome? in
                if number == 20 {
                    _ = try await stores.ballots.close(sprint.key)
                    return nil
                }
                return try await stores.cast([voters[number < 20 ? number : number - 1].ballot(in: sprint)])[0]
            }.compactMap { $0 }
            let counted = outcomes.count(where: \.isCounted)
            #expect(outcomes.allSatisfy { $0.isCounted || $0 == .sprintClosed })
            #expect(try await stores.record(of: sprint).state.current.count == counted)
            #expect(try await stores.ballots.existing(among: voters.map { $0.receipt(in: sprint) }).count == counted)
        }
    }
}
