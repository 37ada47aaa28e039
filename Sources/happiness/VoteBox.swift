import ArgumentParser
import Foundation
import HappinessClient

/// The votes on this device that are not counted yet. Each step is on the disk before the request that depends on it.
struct VoteBox {
    let member: LoggedInMember

    private var device: Device { member.device }
    private var server: HappinessServer { member.session.server }

    /// Casts a ballot, with the paper that this device has or with a new one.
    func cast(_ ballot: DeviceState.Ballot, in sprint: Sprint, of team: Team) async throws {
        let vote = try await signedPaper(in: sprint, of: team, for: ballot)
        try await count(vote)
    }

    /// Casts the ballots whose papers are signed, whoever is logged in: they are sent without a log-in anyway. Also
    /// the member's own ballots whose papers may or may not be signed, unless `exceptUnsigned`.
    /// - Returns: what was cast.
    func castWaiting(exceptUnsigned: Bool) async throws -> [DeviceState.Vote] {
        var cast: [DeviceState.Vote] = []
        for var vote in await device.state.votes where vote.server == server.address && vote.ballot != nil {
            if !vote.paper.isSigned {
                guard !exceptUnsigned, vote.member == member.id else { continue }
                vote = try await signed(vote)
            }
            try await count(vote)
            cast.append(vote)
        }
        return cast
    }

    /// The member's signed paper in a sprint.
    /// - Parameter ballot: is cast with it; kept beside the paper while a request may be under way.
    func signedPaper(
        in sprint: Sprint, of team: Team, for ballot: DeviceState.Ballot? = nil
    ) async throws -> DeviceState.Vote {
        var vote: DeviceState.Vote
        if let present = await device.state.votes.first(where: { isMembers($0) && $0.paper.isFor(sprint, of: team) }) {
            vote = present
        } else {
            let key = try await member.ballotKey(of: sprint.label, in: team.id)
            vote = DeviceState.Vote(
                server: server.address, member: member.id,
                paper: try BallotPaper(team: team.id, sprint: sprint.label, key: key))
        }
        vote.ballot = ballot ?? vote.ballot
        try await keep(vote)
        return try await signed(vote)
    }

    private func signed(_ vote: DeviceState.Vote) async throws -> DeviceState.Vote {
        var vote = vote
        do {
            try await member.session.sign(&vote.paper)
        } catch ClientError.refused(let problem) {
            // It will never be signed.
            if ["already-voted", "sprint-complete", "sprint-not-open"].contains(problem.reason) {
                try await forget(vote)
            }
            throw ClientError.refused(problem)
        }
        try await keep(vote)
        return vote
    }

    private func count(_ vote: DeviceState.Vote) async throws {
        guard let ballot = vote.ballot else { return }
        do {
            try await server.cast(happiness: ballot.happiness, feedback: ballot.feedback, with: vote.paper)
        } catch .refused(let problem) {
            if problem.reason == "sprint-not-open" {
                try await forget(vote)
            } else {
                // The member has no other paper, so they can only vote if another ballot goes with this one.
                var paper = vote
                paper.ballot = nil
                try await keep(paper)
            }
            throw ClientError.refused(problem)
        }
        try await forget(vote)
        print(
            """
            Your vote in sprint \(vote.paper.sprint) was counted: \(ballot.happiness.formatted(.number.locale(.posix))).
            It is sealed: nothing the server stores links it to you, and the people who run it could only work out \
            whose it is from the time it arrived.
            Its ballot key is \(vote.paper.key.shortID). Compare these digits with a colleague: they must be the same.
            """)
    }

    private func isMembers(_ vote: DeviceState.Vote) -> Bool {
        vote.server == server.address && vote.member == member.id
    }

    private func keep(_ vote: DeviceState.Vote) async throws {
        try await device.change { state in
            state.votes.removeAll { $0.isSame(as: vote) }
            state.votes.append(vote)
        }
    }

    private func forget(_ vote: DeviceState.Vote) async throws {
        try await device.change { state in state.votes.removeAll { $0.isSame(as: vote) } }
    }
}

extension DeviceState.Vote {
    fileprivate func isSame(as other: DeviceState.Vote) -> Bool {
        (server, member, paper.team, paper.sprint) == (other.server, other.member, other.paper.team, other.paper.sprint)
    }
}

extension Locale {
    /// Numbers with a decimal point.
    static let posix = Locale(identifier: "en_US_POSIX")
}
