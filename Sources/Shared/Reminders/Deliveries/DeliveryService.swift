import Foundation

/// Messages by hand, tests of the reminder, and what became of deliveries: who may do and see what.
///
/// Leads for their team, admins for every team. To anybody else a team they are not in does not exist.
public struct DeliveryService: Sendable {
    /// Deliveries of a page.
    public static let pageSize = 50
    /// Messages a team gets a day.
    public static let messagesPerDay = 5
    /// Tests a person may ask for a day: each is a message to their own devices only.
    public static let testsPerDay = 20
    private static let secondsPerDay: TimeInterval = 86_400

    private let stores: Stores
    private let sprints: SprintService
    private let jobs: DeliveryJobs
    private let seal: CountsSeal
    private let clock: WallClock

    /// - Parameter secret: opens the counts.
    public init(stores: Stores, sprints: SprintService, secret: BallotSecret, clock: WallClock) {
        self.stores = stores
        self.sprints = sprints
        jobs = DeliveryJobs(jobs: stores.jobs)
        seal = CountsSeal(secret: secret)
        self.clock = clock
    }

    /// Sends a message to every member of a team.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `refused` for a text that is empty, too long or holds what cannot be
    ///   shown, `tooManyRequests` (`too-many-messages`).
    public func send(title: String, body: String, to teamID: Team.ID, by principal: Principal) async throws -> Delivery
    {
        let text = try Delivery.Text(validating: title, body: body)
        return try await begin(
            .message, of: teamID, text: text, by: principal,
            quota: Quota(key: "messages \(teamID)", limit: Self.messagesPerDay))
    }

    /// Sends the reminder to the caller and nobody else, on the way it would take.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `tooManyRequests` (`too-many-messages`).
    public func testReminder(of teamID: Team.ID, by principal: Principal) async throws -> Delivery {
        try await begin(
            .test, of: teamID, text: nil, by: principal,
            quota: Quota(key: "reminder tests \(principal.userID)", limit: Self.testsPerDay))
    }

    /// A team's deliveries, the newest day first.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    public func list(
        of teamID: Team.ID, after: Delivery.Position?, by principal: Principal
    ) async throws -> [DeliveryReport] {
        try await stores.teams.requireManager(principal.caller, of: teamID, users: stores.users)
        return try await reports(teamID: teamID, after: after, for: principal.userID)
    }

    /// Every team's deliveries, the newest day first, for admins.
    /// - Throws: `AppError.forbidden`.
    public func listAll(after: Delivery.Position?, by principal: Principal) async throws -> [DeliveryReport] {
        try await stores.users.requireAdmin(principal.caller)
        return try await reports(teamID: nil, after: after, for: principal.userID)
    }

    private struct Quota {
        let key: String
        let limit: Int
    }

    private func begin(
        _ kind: Delivery.Kind, of teamID: Team.ID, text: Delivery.Text?, by principal: Principal, quota: Quota
    ) async throws -> Delivery {
        try await stores.teams.requireManager(principal.caller, of: teamID, users: stores.users)
        guard let team = try await stores.teams.find(id: teamID) else { throw AppError.noSuchTeam }
        let now = clock.now
        let sprint = try await sprints.runningSprint(of: teamID)
        // Ids are random: the hash of one is a key that nothing else has.
        guard
            try await stores.tokens.takeQuota(
                key: SecureBytes.sha256(Data(quota.key.utf8)), limit: quota.limit, window: Self.secondsPerDay, at: now)
        else { throw AppError.tooManyMessages }
        let occasion = Delivery.Occasion(
            sprint: sprint.key, kind: kind, day: CalendarDay(instant: now, in: team.settings.zone))
        let delivery = Delivery(occasion: occasion, begun: now, text: text, requestedBy: principal.userID)
        _ = try await stores.deliveries.insert(delivery)
        // If the process dies here, the worker finds the delivery within a minute.
        try await jobs.deliver(delivery.id, runAt: now)
        return delivery
    }

    private func reports(
        teamID: Team.ID?, after: Delivery.Position?, for reader: User.ID
    ) async throws -> [DeliveryReport] {
        let teams = Set(try await stores.teams.teams(of: reader).map(\.team.id))
        var reports: [DeliveryReport] = []
        for delivery in try await stores.deliveries.list(teamID: teamID, after: after, limit: Self.pageSize) {
            let isMember = teams.contains(delivery.occasion.sprint.teamID)
            reports.append(
                DeliveryReport(delivery: delivery, counts: try await counts(of: delivery, isForMember: isMember)))
        }
        return reports
    }

    /// `nil` while they would tell how many have not voted, and always for who is not in the team: afterwards they tell how
    /// many had not, which is its result.
    private func counts(of delivery: Delivery, isForMember: Bool) async throws -> DeliveryCounts? {
        guard delivery.occasion.kind.dependsOnVotes else { return try await sum(of: [delivery]) }
        guard isForMember else { return nil }
        // Where nothing was published they would tell how many voted, and that is known as "fewer than k".
        let state = try await stores.sprints.find(delivery.occasion.sprint)?.state
        guard let state, state.isClosed, state.published.count > 0 else { return nil }
        // On a later day a reminder goes to those who were away on the first one, mostly one person, whose absence
        // colleagues know: by itself it would tell whether they had voted by then.
        let days = try await stores.deliveries.reminders(of: delivery.occasion.sprint)
            .filter { $0.occasion.kind == delivery.occasion.kind && $0.state != .skipped }
        return days.first?.id == delivery.id ? try await sum(of: days) : nil
    }

    private func sum(of deliveries: [Delivery]) async throws -> DeliveryCounts? {
        var sum = DeliveryCounts()
        for delivery in deliveries {
            for batch in try await stores.deliveries.batches(of: delivery.id) {
                guard let counts = seal.open(batch.sealedCounts, of: batch.key) else { return nil }
                sum = sum + counts
            }
        }
        return sum
    }
}

/// A delivery as those see it who may manage its team.
public struct DeliveryReport: Hashable, Sendable {
    /// The delivery.
    public let delivery: Delivery
    /// the outcome, and of what absence moved to later days; `nil` for a reminder until its sprint is closed, for good
    /// if nothing of that is published, on those later days, and for an administrator who is not in the team.
    public let counts: DeliveryCounts?

    /// A delivery with its counts.
    public init(delivery: Delivery, counts: DeliveryCounts?) {
        self.delivery = delivery
        self.counts = counts
    }
}

extension Delivery.Text {
    /// Words from outside: one line as title, at least one character in each part.
    /// - Throws: `AppError.refused` naming the part and its limit.
    init(validating title: String, body: String) throws(AppError) {
        func part(_ text: String, _ name: String, limit: Int, lines: Bool) throws(AppError) -> String {
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            // Four bytes a character leave room for the rest of a push service's 4,096.
            guard !trimmed.isEmpty, trimmed.count <= limit, trimmed.utf8.count <= 4 * limit else {
                throw AppError(.refused, "The \(name) must have 1 to \(limit) characters.")
            }
            let isFit = trimmed.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control: lines && scalar == "\n"
                case .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
            guard isFit else {
                throw AppError(.refused, "The \(name) holds a control character or a line break that it may not have.")
            }
            return trimmed
        }
        self.init(
            title: try part(title, "title", limit: PushMessage.maximumTitleLength, lines: false),
            body: try part(body, "body", limit: PushMessage.maximumBodyLength, lines: true))
    }
}

extension AppError {
    /// The day's messages of a team, or a person's tests, are used up.
    static let tooManyMessages = AppError(
        .tooManyRequests, "There were too many messages within a day. Please try again tomorrow.",
        reason: "too-many-messages", retryAfter: 3_600)
}
