import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// The store checks for every ballot who may cast, even right after it checked the same user, team and sprint.
@Suite struct BallotAdmissionContract {
    @Test(arguments: StoreUnderTest.all)
    func `A user just logged out or removed is refused and leaves nothing`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team, policy: .immediate)
            let voters = try await stores.makeVoters(6, in: team)
            #expect(try await stores.cast([voters[0].ballot(in: sprint, tenths: 10)])[0].isCounted)
            #expect(try await stores.cast([voters[1].ballot(in: sprint, tenths: 20)])[0].isCounted)
            try await stores.write { try $0.endSession(voters[2].session.id) }
            try await stores.remove(userID: voters[3].user.id, from: team.id)

            let ballots = try voters.dropFirst(2).map { try $0.ballot(in: sprint, tenths: 40, feedback: "text") }
            let outcomes = try await stores.cast(ballots)
            #expect(
                outcomes == [
                    .sessionEnded, .notAMember, .counted(mayComplete: false), .counted(mayComplete: false),
                ])
            let state = try await stores.record(of: sprint).state
            #expect(state.current.count == 4)
            #expect(state.current.sum == 110)
            for refused in voters[2...3] {
                #expect(try await stores.ballots.contains(refused.receipt(in: sprint)) == false)
            }
            let texts = try await stores.ballots.feedback(
                of: sprint.key, publishedNumber: 9, secret: Voter.secret, after: nil, limit: 9)
            #expect(texts.count == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of one person's two ballots, the one from the valid session is counted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(2, in: team)
            let loggedOut = Voter(user: voters[1].user, session: try await stores.makeSession(of: voters[1].user))
            #expect(try await stores.cast([voters[0].ballot(in: sprint, tenths: 10)])[0].isCounted)
            try await stores.write { try $0.endSession(loggedOut.session.id) }

            let outcomes = try await stores.cast([
                loggedOut.ballot(in: sprint, tenths: 0, feedback: "not mine"),
                voters[1].ballot(in: sprint, tenths: 90),
            ])
            #expect(outcomes == [.sessionEnded, .counted(mayComplete: true)])
            #expect(try await stores.record(of: sprint).state.current.sum == 100)
            let texts = try await stores.ballots.feedback(
                of: sprint.key, publishedNumber: 9, secret: Voter.secret, after: nil, limit: 9)
            #expect(texts.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Whether everyone may have voted is judged by the current members`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(4, in: team)
            #expect(try await stores.cast([voters[0].ballot(in: sprint)]) == [.counted(mayComplete: false)])
            try await stores.remove(userID: voters[3].user.id, from: team.id)
            try await stores.remove(userID: voters[2].user.id, from: team.id)
            #expect(try await stores.cast([voters[1].ballot(in: sprint)]) == [.counted(mayComplete: true)])
            let newcomers = try await stores.makeVoters(2, in: team)
            #expect(try await stores.cast([newcomers[0].ballot(in: sprint)]) == [.counted(mayComplete: false)])
            #expect(try await stores.cast([newcomers[1].ballot(in: sprint)]) == [.counted(mayComplete: true)])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A threshold raised between two ballots applies to the second`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team, threshold: 2)
            let voters = try await stores.makeVoters(7, in: team)
            var expected = PublicationState.initial
            for (number, voter) in voters.enumerated() {
                if number == 3 { try await stores.updateSettings(id: team.id, TeamSettings(threshold: 3)) }
                let ballot = try voter.ballot(in: sprint)
                expected.count([ballot], policy: .live, threshold: number < 3 ? 2 : 3)
                #expect(try await stores.cast([ballot])[0].isCounted)
                #expect(try await stores.record(of: sprint).state == expected)
            }
        }
    }
}
