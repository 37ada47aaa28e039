package import Domain
package import Foundation
package import Ports
import Product
package import Storage

/// The installation as JSON for other programs: people, teams, members, results of closed sprints, and actions.
///
/// It holds what administrators and members can read: no password hash, session, receipt, unpublished ballot or sum, no
/// feedback for leads alone, and no quotes of feedback in actions. A team's `results` are a file for `HistoryFile`.
package struct InstallationExport: Sendable {
    /// How much was written.
    package struct Count: Hashable, Sendable {
        /// People.
        package var users = 0
        /// Teams.
        package var teams = 0
    }

    private static let pageSize = 200

    private let stores: Stores
    private let secret: BallotSecret
    private let clock: WallClock

    /// - Parameter secret: decrypts feedback of sprints that are closed, but not cleared yet.
    package init(stores: Stores, secret: BallotSecret, clock: WallClock) {
        self.stores = stores
        self.secret = secret
        self.clock = clock
    }

    /// Writes one JSON object, piece by piece, since there may be a hundred thousand people.
    /// - Parameters:
    ///   - withFeedback: whether results have the texts that the whole team may read.
    ///   - write: appends bytes of UTF-8.
    /// - Throws: `StorageError.unavailable`, and what `write` throws.
    package func write(withFeedback: Bool, to write: (Data) throws -> Void) async throws -> Count {
        var count = Count()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let (version, time) = (ProductVersion.current, clock.now.ISO8601Format())
        try write(Data(#"{"product":"Happiness Metric","version":"\#(version)","exported":"\#(time)","#.utf8))

        try write(Data("\n\"users\":[".utf8))
        var name: String?
        repeat {
            let page = try await stores.read { [name] rows in
                try rows.users(matching: nil, after: name, limit: Self.pageSize)
            }
            for user in page {
                try write(Data(count.users == 0 ? "\n".utf8 : ",\n".utf8) + encoder.encode(ExportedUser(user)))
                count.users += 1
            }
            name = page.count < Self.pageSize ? nil : page.last.map { UserName.folded($0.name) }
        } while name != nil

        try write(Data("\n],\n\"teams\":[".utf8))
        try await stores.visitTeams { team in
            let exported = try await export(team, withFeedback: withFeedback)
            try write(Data(count.teams == 0 ? "\n".utf8 : ",\n".utf8) + encoder.encode(exported))
            count.teams += 1
        }
        try write(Data("\n]}\n".utf8))
        return count
    }

    private func export(_ team: Team, withFeedback: Bool) async throws -> ExportedTeam {
        let closed = try await sprints(of: team.id).map(Publication.init).filter { $0.isClosed && $0.isPublished }
        let isReadable = { (sprint: Sprint) in
            sprint.feedbackReaders(present: team.settings.feedbackReaders) == .team
        }
        let readable = withFeedback ? closed.filter { isReadable($0.sprint) } : []
        var feedback: [Date: [Feedback]] = [:]
        if !readable.isEmpty {
            feedback = try await stores.ballots.feedback(
                teamID: team.id,
                publishedNumbers: Dictionary(
                    uniqueKeysWithValues: readable.map { ($0.sprint.start, $0.publishedNumber) }),
                secret: secret)
        }
        var actions: [Action] = []
        for state in Action.State.allCases {
            actions += try await stores.read { try $0.actions(of: team.id, state: state, limit: Action.maximumKept) }
        }
        return ExportedTeam(
            team, members: try await stores.read { try $0.members(of: team.id) },
            results: closed.map { publication in
                ExportedResult(
                    publication,
                    feedback: withFeedback && isReadable(publication.sprint)
                        ? feedback[publication.sprint.start] ?? [] : nil,
                    zone: team.settings.zone)
            },
            actions: actions)
    }

    /// All sprints, also those that are too old for a list.
    private func sprints(of teamID: Team.ID) async throws -> [SprintRecord] {
        let latest = try await stores.read { try $0.sprints(of: teamID, matching: .all) }
        guard latest.count == SprintFilter.maximumCount, let first = latest.first else { return latest }
        var older: [SprintRecord] = []
        for key in try await stores.read({ try $0.sprintKeys(of: teamID) }) where key.start < first.sprint.start {
            if let record = try await stores.sprint(key) { older.append(record) }
        }
        return older + latest
    }
}

private struct ExportedUser: Encodable {
    let id: String
    let name: String
    let displayName: String?
    let email: String
    let role: User.Role
    let isDisabled: Bool
    let locale: String
    let createdOn: CalendarDay

    init(_ user: User) {
        id = user.id.description
        name = user.name
        displayName = user.displayName
        email = user.email
        role = user.role
        isDisabled = user.isDisabled
        locale = user.locale
        createdOn = user.createdOn
    }
}

private struct ExportedTeam: Encodable {
    let id: String
    let name: String
    let calendar: SprintCalendar
    let timeZone: String
    let threshold: Int
    let policy: PublicationPolicy
    let graceDays: Int
    let feedbackReaders: Team.FeedbackReaders
    let ballots: Team.AcceptedBallots
    let actionAuthors: Team.ActionAuthors
    let members: [Member]
    let results: [ExportedResult]
    let actions: [ExportedAction]

    struct Member: Encodable {
        let user: String
        let role: Membership.Role
    }

    init(_ team: Team, members: [Membership], results: [ExportedResult], actions: [Action]) {
        id = team.id.description
        name = team.name
        calendar = team.settings.calendar
        timeZone = team.settings.timeZone
        threshold = team.settings.threshold
        policy = team.settings.policy
        graceDays = team.settings.graceDays
        feedbackReaders = team.settings.feedbackReaders
        ballots = team.settings.ballots
        actionAuthors = team.settings.actionAuthors
        self.members = members.map { Member(user: $0.userID.description, role: $0.role) }
        self.results = results
        self.actions = actions.map(ExportedAction.init)
    }
}

/// The fields of `HistoryFile`, and what else a sprint publishes.
private struct ExportedResult: Encodable {
    let sprint: SprintLabel
    let start: CalendarDay
    let end: CalendarDay
    let happiness: Double?
    let votes: Int
    let eligible: Int?
    let distribution: [Int]?
    let imported: Bool
    /// In random order; missing if they were not asked for, or only leads may read them.
    let feedback: [String]?

    init(_ publication: Publication, feedback: [Feedback]?, zone: TimeZone) {
        let sprint = publication.sprint
        self.sprint = sprint.label
        start = CalendarDay(instant: sprint.start, in: zone)
        end = CalendarDay(instant: sprint.end, in: zone).adding(days: -1)
        happiness = publication.happiness
        votes = publication.votes
        eligible = publication.eligible
        distribution = publication.distribution
        imported = sprint.isImported
        self.feedback = feedback?.map(\.text)
    }
}

private struct ExportedAction: Encodable {
    let title: String
    let notes: String
    let state: Action.State
    let assignee: String?
    let due: CalendarDay?
    let made: SprintLabel
    let began: SprintLabel?

    init(_ action: Action) {
        title = action.content.title
        notes = action.content.notes
        state = action.state
        assignee = action.content.assignee?.description
        due = action.content.due
        made = action.made.label
        began = action.began?.label
    }
}
