import ArgumentParser
import Domain
import Foundation
import Storage

/// `BenchmarkSeed crowd`: creates teams of one size, many rows in a transaction. The first member of each leads it.
///
/// Nobody gets mails, so a reminder only reaches devices.
struct CrowdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crowd", abstract: "Makes many teams, or a large one, and writes access tokens.")

    @Option(help: "Number of teams.")
    var teams = 1

    @Option(help: "Number of members of each team.")
    var members: Int

    @Option(help: "Starts all names, so that the command can run again.")
    var name = "Crowd"

    @Option(help: "The teams' time zone.")
    var timeZone = "UTC"

    @Option(help: "File that takes the tokens, one a line: of an administrator, of the first team's lead, of members.")
    var tokens: String

    @Option(help: "Number of members of the first team who are logged in.")
    var loggedIn = 200

    @Flag(help: "Gives each member a device.")
    var withDevices = false

    @Option(
        help: "Starts the sprint that contains this instant, e.g. 2026-01-05T09:00:00Z.",
        transform: { try Date($0, strategy: .iso8601) })
    var sprintAt: Date?

    @Option(help: "Number of ballots in the sprint of each team.")
    var ballots = 0

    /// Teams or people in a transaction. It must end within the three seconds that a store gives it.
    private static let batch = 500
    /// Number of concurrent writes to the store.
    private static let width = 4

    private struct Made: Encodable {
        /// Of the first team.
        let team: String
        let name: String
    }

    /// A member and what belongs to them.
    private struct Person: Sendable {
        let user: User
        let membership: Membership
        let session: Session?
        let device: Device?
    }

    func validate() throws {
        guard teams > 0, members > 0 else { throw ValidationError("A team needs a member.") }
        guard ballots == 0 || sprintAt != nil else { throw ValidationError("--ballots needs --sprint-at.") }
    }

    func run() async throws {
        try await OpenStore.with { store in
            let (_, administrator) = try await store.addUser("\(name.lowercased()).admin", role: .admin)
            let crowd = (0..<teams).map { number in
                Team(
                    name: "\(name) \(number)", settings: TeamSettings(timeZone: timeZone), memberCount: members)
            }
            let sprints = crowd.compactMap(sprint)
            try await concurrently(over: Self.batches(of: teams)) { numbers in
                try await add(Array(crowd[numbers]), sprints: sprints.isEmpty ? [] : Array(sprints[numbers]), to: store)
            }
            let sessions = try await concurrently(over: Self.batches(of: teams * members)) { numbers in
                try await addPeople(numbers, of: crowd, to: store)
            }
            .reduce(into: [:]) { $0.merge($1) { first, _ in first } }
            if ballots > 0 {
                try await concurrently(over: sprints.indices.map { $0..<($0 + 1) }) { numbers in
                    let number = numbers.lowerBound
                    guard let session = sessions[number * members] else { return }
                    try await Voter(in: store, session: session, sprint: sprints[number].sprint.key)
                        .castAll(count: ballots)
                }
            }
            let ofFirstTeam = (0..<min(members, loggedIn)).compactMap { sessions[$0] }
            try await store.writeTokens(of: [administrator] + ofFirstTeam, to: tokens)
            try printJSON(Made(team: crowd[0].id.description, name: crowd[0].name))
        }
    }

    private func sprint(of team: Team) -> SprintRecord? {
        guard let sprintAt else { return nil }
        let settings = team.settings
        let span = settings.calendar.span(containing: sprintAt, in: settings.zone)
        return SprintRecord(
            sprint: Sprint(
                teamID: team.id, start: span.start, end: span.end, closes: span.end, label: span.label,
                threshold: settings.threshold, policy: settings.policy),
            state: .initial, eligible: nil)
    }

    private func add(_ teams: [Team], sprints: [SprintRecord], to store: OpenStore) async throws {
        // Stored settings, as teams have them that were created by people.
        let reminders = ReminderSettings(timing: .start)
        try await store.stores.transaction { rows in
            for team in teams {
                try rows.insert(team)
                try rows.setReminderSettings(reminders, of: team.id)
            }
            if !sprints.isEmpty { try rows.insert(sprints) }
        }
    }

    /// - Returns: the sessions that are used, by the number of their owner.
    private func addPeople(
        _ numbers: Range<Int>, of teams: [Team], to store: OpenStore
    ) async throws -> [Int: Session] {
        let people = try numbers.map { try person($0, of: teams[$0 / members]) }
        try await store.stores.transaction { rows in
            for person in people {
                try rows.insert(person.user)
                try rows.insert(person.membership)
                if let session = person.session { try rows.insert(session) }
                if let device = person.device { try rows.insert(device) }
            }
        }
        return zip(numbers, people).reduce(into: [:]) { sessions, each in
            if isLoggedIn(each.0) { sessions[each.0] = each.1.session }
        }
    }

    private func person(_ number: Int, of team: Team) throws -> Person {
        let place = number % members
        let today = CalendarDay(instant: Date(), in: .gmt)
        let userName = "\(name.lowercased()).\(number / members).\(place)"
        let user = User(
            name: try UserName(userName), email: try EmailAddress("\(userName)@example.org"), defaultTeamID: team.id,
            notifications: NotificationSettings(mail: false), createdOn: today)
        let session = withDevices || isLoggedIn(number) ? OpenStore.session(of: user.id) : nil
        let device = Device(
            userID: user.id, sessionID: session?.id, address: .fcm(token: "benchmark-token-\(user.id)"),
            platform: .android, appVersion: nil, locale: "en", refreshed: today)
        return Person(
            user: user, membership: Membership(teamID: team.id, userID: user.id, role: place == 0 ? .lead : .member),
            session: session, device: withDevices ? device : nil)
    }

    /// Whether the tokens or the ballots need a session of this person.
    private func isLoggedIn(_ number: Int) -> Bool {
        number < min(members, loggedIn) || (ballots > 0 && number.isMultiple(of: members))
    }

    private static func batches(of count: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: batch).map { $0..<min($0 + batch, count) }
    }

    /// Calls `body` for each range, for some at the same time.
    @discardableResult
    private func concurrently<Part: Sendable>(
        over ranges: [Range<Int>], _ body: @escaping @Sendable (Range<Int>) async throws -> Part
    ) async throws -> [Part] {
        try await withThrowingTaskGroup(of: Part.self) { group in
            var parts: [Part] = []
            for (index, range) in ranges.enumerated() {
                if index >= Self.width, let part = try await group.next() { parts.append(part) }
                group.addTask { try await body(range) }
            }
            for try await part in group { parts.append(part) }
            return parts
        }
    }
}
