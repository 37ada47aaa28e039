import Foundation
import HappinessClient

/// The votes on this device that are not counted yet. Each step is on the disk before the request that depends on it.
struct VoteBox {
    let device: Device

    /// Casts the ballots whose papers are signed, no matter who is logged in: they are sent without a login anyway.
    /// Those for a relay wait. An error with one does not hold up the others.
    /// - Returns: each vote, with the error if it was not counted, which the member has been told.
    func castSigned() async throws -> [(vote: DeviceState.Vote, error: ClientError?)] {
        var results: [(DeviceState.Vote, ClientError?)] = []
        for vote in await device.state.votes where vote.ballot != nil && vote.paper.isSigned && vote.relay == nil {
            do {
                try await count(vote)
                results.append((vote, nil))
            } catch let error as ClientError {
                Console.error("Sprint \(vote.paper.sprint) of \(vote.teamName): \(error)")
                results.append((vote, error))
            }
        }
        return results
    }

    /// A signed paper of the logged-in member that is not used yet; of several in one team that of the earliest sprint.
    /// Casting with it needs no request with the login, which would name the voter a moment before the ballot.
    /// - Parameter team: a name; `nil` if the member is in one team only.
    func unusedPaper(in team: String?) async throws -> DeviceState.Vote? {
        guard let account = await device.state.account else { return nil }
        let own = await device.state.votes.filter { vote in
            vote.ballot == nil && vote.paper.isSigned && vote.closes > .now && vote.isOwn(of: account)
                && (team == nil || vote.isIn(team))
        }
        guard let first = own.min(by: { $0.closes < $1.closes }) else { return nil }
        guard team != nil || first.isOnlyTeam else { throw Rejection("Choose one of your teams with --team.") }
        return first
    }

    /// Casts a ballot with a signed paper.
    /// - Parameter isDirect: whether the paper was signed just now.
    func cast(_ ballot: DeviceState.Ballot, with vote: DeviceState.Vote, isDirect: Bool = false) async throws {
        var vote = vote
        vote.ballot = ballot
        try await keep(vote)
        try await count(vote, isDirect: isDirect)
    }

    /// Gets the papers of a member's votes signed, if that was interrupted, and casts the ballots.
    /// - Returns: how many there were.
    /// - Throws: the last error, after all of them.
    func castUnsigned(of member: LoggedInMember) async throws -> Int {
        let votes = await device.state.votes.filter {
            $0.ballot != nil && !$0.paper.isSigned && $0.isOwn(of: member.account)
        }
        var failure: ClientError?
        for vote in votes {
            do {
                try await count(try await signed(vote, for: member))
            } catch let error as ClientError {
                if let failure { Console.error("\(failure)") }
                failure = error
            }
        }
        if let failure { throw failure }
        return votes.count
    }

    /// The member's signed paper in a sprint: the one that this device has, or a new one.
    /// - Parameter ballot: will be cast with it, and is kept beside it from now on.
    func signedPaper(
        of member: LoggedInMember, in sprint: Sprint, of team: Team, for ballot: DeviceState.Ballot? = nil
    ) async throws -> DeviceState.Vote {
        var vote: DeviceState.Vote
        if let present = await device.state.votes.first(where: {
            $0.isOwn(of: member.account) && $0.paper.isFor(sprint, of: team)
        }) {
            vote = present
        } else {
            let key = try await member.ballotKey(of: sprint.label, in: team.id)
            vote = DeviceState.Vote(
                server: member.account.server, member: member.account.member, teamName: team.name,
                isOnlyTeam: try await member.session.teams().count == 1, end: sprint.end, closes: sprint.closes,
                paper: try BallotPaper(team: team.id, sprint: sprint.label, key: key))
        }
        vote.ballot = ballot ?? vote.ballot
        try await keep(vote)
        return try await signed(vote, for: member)
    }

    private func signed(_ vote: DeviceState.Vote, for member: LoggedInMember) async throws -> DeviceState.Vote {
        var vote = vote
        do {
            try await member.session.sign(&vote.paper)
        } catch ClientError.rejected(let problem) {
            // It will never be signed.
            let final = ["already-voted", "mailbox-voted", "sprint-complete", "sprint-not-open", "no-such-team"]
            if final.contains(problem.reason) {
                try await forget(vote)
            }
            throw ClientError.rejected(problem)
        }
        try await keep(vote)
        return vote
    }

    /// - Parameter isDirect: whether the paper was signed just now.
    private func count(_ vote: DeviceState.Vote, isDirect: Bool = false) async throws {
        guard let ballot = vote.ballot else { return }
        do {
            try await HappinessServer(address: vote.server).cast(
                happiness: ballot.happiness, feedback: ballot.feedback, with: vote.paper)
        } catch ClientError.rejected(let problem) {
            if problem.reason == "sprint-not-open" {
                try await forget(vote)
            } else {
                // The member has no other paper, so they can only vote if another ballot goes with this one.
                var paper = vote
                paper.ballot = nil
                try await keep(paper)
            }
            throw ClientError.rejected(problem)
        }
        try await device.change { $0.finish(vote, with: ballot) }
        let happiness = ballot.happiness.formatted(.number.locale(.posix))
        Console.print(
            """
            Your vote in sprint \(vote.paper.sprint) of \(vote.teamName) was counted: \(happiness).
            It is sealed: nothing the server stores links it to you. Someone who watched the server as it arrived could \
            read it, and tell from its time and address that it is yours.\(isDirect ? Self.hint : "")
            Ballot key: \(vote.paper.key.digits)
            Compare its digits with a colleague: they must be the same.
            """)
    }

    private static let hint = """
         They saw you get your ballot paper just before: next time, run `happiness paper` on an earlier day.
        """

    private func keep(_ vote: DeviceState.Vote) async throws {
        try await device.change { state in
            // What is not cast yet cannot be cast after the sprint.
            state.votes.removeAll {
                $0.isSame(as: vote) || $0.closes < .now && ($0.ballot == nil || !$0.paper.isSigned)
            }
            state.votes.append(vote)
        }
    }

    private func forget(_ vote: DeviceState.Vote) async throws {
        try await device.change { state in state.votes.removeAll { $0.isSame(as: vote) } }
    }
}

extension DeviceState.Vote {
    /// Whether it is a vote of the logged-in member.
    func isOwn(of account: DeviceState.Account) -> Bool {
        (server, member) == (account.server, account.member)
    }

    /// Whether it is a vote in a team of this name or id.
    func isIn(_ team: String?) -> Bool { teamName == team || paper.team == team }

    /// Whether it is of the same member and sprint.
    func isSame(as other: DeviceState.Vote) -> Bool {
        (server, member, paper.team, paper.sprint) == (other.server, other.member, other.paper.team, other.paper.sprint)
    }
}

extension Locale {
    /// Numbers with a decimal point.
    static let posix = Locale(identifier: "en_US_POSIX")
}
