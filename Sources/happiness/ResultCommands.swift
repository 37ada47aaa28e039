import ArgumentParser
import Foundation
import HappinessClient

/// `happiness sprint`
struct SprintCommand: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "sprint", abstract: "Show the running sprint, and whether you have voted.")

    @OptionGroup
    var place: TeamOption

    func run(as member: LoggedInMember) async throws {
        let team = try await place.team(of: member)
        let current = try await member.session.currentSprint(of: team.id)
        let sprint = current.sprint
        let days = Days(timeZone: team.timeZone)
        print("\(team.name), sprint \(sprint.label): \(days.text(sprint.start)) to \(days.last(before: sprint.end))")
        if let publication = sprint.publication {
            print("Happiness: \(publication.mean) (\(publication.votes) votes)")
        } else {
            print("Nothing is shown before \(sprint.threshold) votes, and then only in steps.")
        }
        let waiting = await member.device.state.votes.contains {
            $0.member == member.id && $0.paper.isFor(sprint, of: team)
        }
        switch (waiting, current.hasVoted) {
        case (true, _): print("Your ballot paper is on this device, and not used yet: happiness vote VALUE")
        case (false, true): print("You have voted, or your ballot paper is on another device.")
        case (false, false): print("You haven’t voted yet: happiness vote VALUE")
        }
    }
}

/// `happiness history`
struct HistoryCommand: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show the team's sprints with their happiness.")

    @Option(help: "Only this year.")
    var year: Int?
    @Flag(name: .customLong("csv"), help: "Print CSV, with the distribution of the values.")
    var isCSV = false
    @OptionGroup
    var place: TeamOption

    func run(as member: LoggedInMember) async throws {
        let team = try await place.team(of: member)
        guard !isCSV else {
            print(try await member.session.historyCSV(of: team.id, year: year), terminator: "")
            return
        }
        let days = Days(timeZone: team.timeZone)
        print("sprint   first day   happiness  votes")
        for sprint in try await member.session.sprints(of: team.id, year: year) {
            let mean = sprint.publication?.mean ?? "–"
            let votes = sprint.publication.map { "\($0.votes)" + ($0.eligible.map { " of \($0)" } ?? "") } ?? "–"
            let label = sprint.label.padding(toLength: 7, withPad: " ", startingAt: 0)
            let space = String(repeating: " ", count: max(0, 9 - mean.count))
            print("\(label)  \(days.text(sprint.start))  \(space)\(mean)  \(votes)")
        }
    }
}

/// `happiness key [DIGITS]`
struct KeyCommand: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Check the ballot key of the running sprint.",
        discussion: """
            All voters of a sprint must have the same key: with a key of your own, the server could recognise your \
            ballot. The command compares what the server shows with and without your log-in, and what this device saw \
            first in the sprint. Compare the digits with a colleague, too.
            """)

    @Argument(help: "What a colleague's device shows: the first digits of the key, or all.")
    var digits: String?
    @OptionGroup
    var place: TeamOption

    func validate() throws {
        guard let digits else { return }
        guard (8...64).contains(digits.count), digits.allSatisfy(\.isHexDigit) else {
            throw ValidationError("Give at least the first eight digits of the key.")
        }
    }

    func run(as member: LoggedInMember) async throws {
        let team = try await place.team(of: member)
        let sprint = try await member.session.currentSprint(of: team.id).sprint
        let key = try await member.ballotKey(of: sprint.label, in: team.id)
        print("Ballot key of sprint \(sprint.label): \(key.shortID)\n\(key.id)")
        print("It is the same with and without your log-in, and the first that this device saw in the sprint.")
        guard let digits else { return }
        guard key.id.hasPrefix(digits.lowercased()) else {
            Console.error("Your colleague’s key is another one. Don’t vote, and tell your team.")
            throw ExitCode.failure
        }
        print("It is the same as your colleague’s.")
    }
}

/// Days of a team.
struct Days {
    private let format: Date.ISO8601FormatStyle

    /// - Parameter timeZone: an IANA name.
    init(timeZone: String) {
        format = Date.ISO8601FormatStyle(timeZone: TimeZone(identifier: timeZone) ?? .gmt).year().month().day()
    }

    /// The day of an instant, such as `2026-11-16`.
    func text(_ date: Date) -> String { date.formatted(format) }

    /// The last day of what ends with an instant.
    func last(before end: Date) -> String { text(end.addingTimeInterval(-1)) }
}

extension Publication {
    /// Rounded for people.
    fileprivate var mean: String {
        happiness.formatted(.number.precision(.fractionLength(1)).locale(.posix))
    }
}
