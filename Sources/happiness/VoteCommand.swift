import ArgumentParser
import Foundation
import HappinessClient

/// `happiness vote [VALUE]`
struct VoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vote", abstract: "Cast a sealed ballot in the running sprint.",
        discussion: """
            It counts once, whatever happens in between: if the command ends before it says that your vote was \
            counted, run it again. Without a value it sends a vote that is still waiting. Other users of this machine \
            can see what a command is started with: --feedback - reads the text from standard input.
            """)

    @Argument(
        help: ArgumentHelp("From 0 (worst) to 10 (best), such as 7 or 7.5.", valueName: "value"),
        transform: { text in
            // German has a decimal comma.
            guard let value = Double(text.replacing(",", with: ".")) else {
                throw ValidationError("It is not a number.")
            }
            return value
        })
    var happiness: Double?
    @Option(help: "A few words for the team.")
    var feedback: String?
    @Flag(help: "Send a vote to the server that version 0.1.0 was to send through a relay.")
    var directly = false
    @OptionGroup
    var place: TeamOption

    func validate() throws {
        guard let happiness else {
            guard feedback == nil else { throw ValidationError("Give a value, too.") }
            return
        }
        let tenths = happiness * 10
        guard (0...100).contains(tenths), abs(tenths - tenths.rounded()) < 0.000_1 else {
            throw ValidationError("The value must be from 0 to 10, with one decimal place at most.")
        }
    }

    func run() async throws {
        let device = try Device()
        if directly { try await device.change { $0.forgetRelay() } }
        let box = VoteBox(device: device)
        let waiting = try await box.castSigned()
        if let relay = await device.state.relay {
            throw Rejection(
                "Your votes were to go through \(relay.absoluteString), and this version uses no relay: to send them to "
                    + "the server, sealed, run the command again with --directly.")
        }
        let account = await device.state.account
        guard let happiness else {
            if let error = waiting.lazy.compactMap(\.error).first { throw error.exitCode }
            // Without a login, nothing but signed papers can be used.
            if account == nil, !waiting.isEmpty { return }
            let others = try await box.castUnsigned(of: try await LoggedInMember(device: device))
            if waiting.isEmpty, others == 0 { throw Rejection("No vote is waiting. Give a value from 0 to 10.") }
            return
        }
        let ballot = DeviceState.Ballot(
            happiness: (happiness * 10).rounded() / 10, feedback: try feedback == "-" ? Console.input() : feedback)
        if let account,
            let earlier = waiting.first(where: { vote, error in
                vote.isOwn(of: account) && vote.end > .now && (place.team == nil || vote.isIn(place.team))
                    && error?.isRejection != true
            })
        {
            if let error = earlier.error { throw error.exitCode }
            guard earlier.vote.ballot != ballot else { return }
            throw Rejection("That was the vote you gave before. It was under way, so the new one can’t replace it.")
        }
        if let paper = try await box.unusedPaper(in: place.team) { return try await box.cast(ballot, with: paper) }
        let member = try await LoggedInMember(device: device)
        let team = try await place.team(of: member)
        let sprint = try await member.session.currentSprint(of: team.id).sprint
        let paper = try await box.signedPaper(of: member, in: sprint, of: team, for: ballot)
        try await box.cast(ballot, with: paper, isDirect: true)
    }
}

/// `happiness paper`
struct PaperCommand: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "paper", abstract: "Get your ballot paper now, and vote later.",
        discussion: """
            The server knows who gets a paper, and when a ballot arrives. The longer the time between the two, the \
            less it tells, so get the paper early in the sprint and vote on another day. Only this device can then \
            cast your vote.
            """)

    @OptionGroup
    var place: TeamOption

    func run(as member: LoggedInMember) async throws {
        let team = try await place.team(of: member)
        let sprint = try await member.session.currentSprint(of: team.id).sprint
        _ = try await VoteBox(device: member.device).signedPaper(of: member, in: sprint, of: team)
        let closes = Days(timeZone: team.timeZone).text(sprint.closes.addingTimeInterval(-1))
        Console.print(
            "Your ballot paper for sprint \(sprint.label) is on this device. Vote by \(closes): happiness vote VALUE")
    }
}

extension BallotPaper {
    /// Whether it belongs to a team's sprint.
    func isFor(_ other: Sprint, of team: Team) -> Bool {
        self.team == team.id && sprint == other.label
    }
}
