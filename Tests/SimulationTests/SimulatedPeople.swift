import Domain
import Foundation
import TestSupport

/// Everybody who may vote in the simulated sprints, with everything they may send.
struct SimulatedPeople: Sendable {
    let sprint: Sprint.Key
    let now: Date
    let voters: [Ballot.Voter]
    private let requests: [PaperRequest]
    /// By member and value.
    private let plain: [[Ballot]]
    private let sealed: [[Ballot]]

    var count: Int { voters.count }

    init(count: Int) throws {
        let sprint = Sprint.Key(teamID: .random(), start: TestTeam.firstMonday)
        self.sprint = sprint
        now = sprint.start + TestTeam.day
        voters = (0..<count).map { _ in
            let id = User.ID.random()
            return Ballot.Voter(
                sessionID: .random(), userID: id,
                receipt: Receipt(secret: TestTeam.secret, sprint: sprint, userID: id))
        }
        requests = voters.map {
            PaperRequest(
                voter: $0, blindedMessage: SecureBytes.random(count: BallotKey.signatureLength),
                secret: TestTeam.secret)
        }
        let key = BallotKey(sprint: sprint, publicKey: SecureBytes.random(count: 294))
        let values = try (0...10).map { try Happiness(tenths: $0 * 10) }
        plain = voters.map { voter in
            values.map { Ballot(voter: voter, sprint: sprint, happiness: $0, feedback: nil) }
        }
        sealed = try voters.map { _ in
            let paper = SpentPaper(try SignedPaper.random(), key: key)
            return values.map { Ballot(paper: paper, happiness: $0, feedback: nil) }
        }
    }

    /// What a member's device sends next.
    func entry(of member: Int, _ value: Int, isSealed: Bool, hasPaper: Bool) -> BallotBoxEntry {
        guard isSealed else { return .ballot(plain[member][value]) }
        return hasPaper ? .ballot(sealed[member][value]) : .request(requests[member])
    }

    func right(of member: Int, isSealed: Bool) -> Ballot.Right {
        (isSealed ? sealed : plain)[member][0].right
    }
}
