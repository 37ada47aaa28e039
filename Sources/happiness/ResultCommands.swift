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
        Console.print(
            "\(team.name), sprint \(sprint.label): \(days.text(sprint.start)) to \(days.last(before: sprint.end))")
        if let publication = sprint.publication {
            // A server that doubts its clock shows the latest sprint instead of starting one.
            let mark = sprint.imported == true ? ", imported" : ""
            Console.print("Happiness: \(publication.mean) (\(publication.votes) votes\(mark))")
        } else {
            Console.print("Nothing is shown before \(sprint.threshold) votes, and then only in steps.")
        }
        let vote = await member.device.state.votes.first {
            $0.isOwn(of: member.account) && $0.paper.isFor(sprint, of: team)
        }
        switch (vote, current.hasVoted) {
        case (let vote?, _) where vote.ballot != nil:
            Console.print("Your vote is on this device, and perhaps not counted yet: happiness vote")
        case (_, _) where current.vote == .closed:
            Console.print("The sprint is closed: nobody can vote in it any more.")
        case (_?, _): Console.print("Your ballot paper is on this device, and not used yet: happiness vote VALUE")
        case (nil, true): Console.print("You have voted, or your ballot paper is on another device.")
        case (nil, false): Console.print("You haven’t voted yet: happiness vote VALUE")
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
            let csv = try await member.session.historyCSV(of: team.id, year: year)
            Console.print(csv.replacing("\r\n", with: "\n").trimmingSuffix("\n"))
            return
        }
        let days = Days(timeZone: team.timeZone)
        Console.print("sprint   first day   happiness  votes")
        for sprint in try await member.session.sprints(of: team.id, year: year) {
            let mean = sprint.publication?.mean ?? "–"
            let votes = sprint.publication.map { "\($0.votes)" + ($0.eligible.map { " of \($0)" } ?? "") } ?? "–"
            let label = sprint.label.padding(toLength: 7, withPad: " ", startingAt: 0)
            let space = String(repeating: " ", count: max(0, 9 - mean.count))
            let mark = sprint.imported == true ? "  imported" : ""
            Console.print("\(label)  \(days.text(sprint.start))  \(space)\(mean)  \(votes)\(mark)")
        }
    }
}

/// `happiness key [DIGITS]`
struct KeyCommand: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Check the ballot key of the running sprint.",
        discussion: """
            All voters of a sprint must have the same key: with a key of your own, the server could recognise your \
            ballot. The command asks for the key without your log-in, and checks that it is the first one that this \
            device saw in the sprint. Compare its digits with a colleague.
            """)

    @Argument(help: "The 32 digits that a colleague sees, in quotation marks.")
    var digits: String?
    @OptionGroup
    var place: TeamOption

    func validate() throws {
        guard let digits else { return }
        guard digits.wholeMatch(of: /(?:[0-9a-fA-F]{4} ){7}[0-9a-fA-F]{4}/) != nil else {
            throw ValidationError("Give all 32 digits in groups of four, in quotation marks.")
        }
    }

    func run(as member: LoggedInMember) async throws {
        let team = try await place.team(of: member)
        let sprint = try await member.session.currentSprint(of: team.id).sprint
        let key = try await member.ballotKey(of: sprint.label, in: team.id)
        Console.print("Ballot key of sprint \(sprint.label):\n\(key.digits)")
        guard let digits else {
            Console.print(
                "The server gave it to someone who isn’t logged in, and can still recognise your address. Only people "
                    + "who compare these digits know that they have the same key.")
            return
        }
        guard key.digits == digits.lowercased() else {
            throw Rejection("Your colleague has a different key. Don’t vote, and tell your team.")
        }
        Console.print("Your colleague has the same key.")
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

    /// The last day of a period that ends at an instant.
    func last(before end: Date) -> String { text(end.addingTimeInterval(-1)) }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}

extension Publication {
    /// Rounded for people.
    fileprivate var mean: String {
        happiness.formatted(.number.precision(.fractionLength(1)).locale(.posix))
    }
}
