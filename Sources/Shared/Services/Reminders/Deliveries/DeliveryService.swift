package import Domain
import Foundation
package import Ports
package import Storage

/// Manual messages, tests of the reminder, and the results of deliveries: who may do and see what.
///
/// Leads for their team, admins for every team. To any other caller a team they are not in does not exist.
package struct DeliveryService: Sendable {
    /// Deliveries per page.
    package static let pageSize = 50
    /// Maximum number of messages to a team per day.
    package static let messagesPerDay = 5
    /// Maximum number of tests per user and day: each is sent only to the user's own devices.
    package static let testsPerDay = 20
    private static let secondsPerDay: TimeInterval = 86_400

    private let store: any Store
    private let sprints: SprintService
    private let jobs: DeliveryJobs
    private let seal: CountsSeal
    private let clock: WallClock

    /// - Parameter secret: decrypts the counts.
    package init(stores: Stores, sprints: SprintService, secret: BallotSecret, clock: WallClock) {
        store = stores.rows
        self.sprints = sprints
        jobs = DeliveryJobs(jobs: stores.jobs)
        seal = CountsSeal(secret: secret)
        self.clock = clock
    }

    /// Sends a message to every member of a team.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `unprocessable` for a text that is empty, too long or contains invalid
    ///   characters, `tooManyRequests` (`too-many-messages`).
    package func send(title: String, body: String, to teamID: Team.ID, by principal: Principal) async throws -> Delivery
    {
        let text = try Delivery.Text(validating: title, body: body)
        return try await begin(
            .message, of: teamID, text: text, by: principal,
            quota: Quota(key: "messages \(teamID)", limit: Self.messagesPerDay))
    }

    /// Sends the reminder to the caller alone, in the same way as the real one.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `tooManyRequests` (`too-many-messages`).
    package func testReminder(of teamID: Team.ID, by principal: Principal) async throws -> Delivery {
        try await begin(
            .test, of: teamID, text: nil, by: principal,
            quota: Quota(key: "reminder tests \(principal.userID)", limit: Self.testsPerDay))
    }

    /// A team's deliveries, the newest day first.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func list(
        of teamID: Team.ID, after: Delivery.Position?, by principal: Principal
    ) async throws -> [DeliveryReport] {
        try await store.requireManager(principal.caller, of: teamID)
        return try await reports(teamID: teamID, after: after, for: principal.userID)
    }

    /// Every team's deliveries, the newest day first, for admins.
    /// - Throws: `AppError.forbidden`.
    package func listAll(after: Delivery.Position?, by principal: Principal) async throws -> [DeliveryReport] {
        try await store.requireAdmin(principal.caller)
        return try await reports(teamID: nil, after: after, for: principal.userID)
    }

    private struct Quota {
        let key: String
        let limit: Int
    }

    private func begin(
        _ kind: Delivery.Kind, of teamID: Team.ID, text: Delivery.Text?, by principal: Principal, quota: Quota
    ) async throws -> Delivery {
        try await store.requireManager(principal.caller, of: teamID)
        guard let team = try await store.team(teamID) else { throw AppError.noSuchTeam }
        let now = clock.now
        let sprint = try await sprints.runningSprint(of: teamID)
        // Ids are random, so the hash of one cannot collide with another key.
        guard
            try await store.write({
                try $0.takeQuota(
                    SecureBytes.sha256(Data(quota.key.utf8)), limit: quota.limit, window: Self.secondsPerDay, at: now)
            })
        else { throw AppError.tooManyMessages }
        let occasion = Delivery.Occasion(
            sprint: sprint.key, kind: kind, day: CalendarDay(instant: now, in: team.settings.zone))
        let delivery = Delivery(occasion: occasion, begun: now, text: text, requestedBy: principal.userID)
        _ = try await store.transaction { try $0.add(delivery) }
        // If the process crashes here, the worker finds the delivery within a minute.
        try await jobs.deliver(delivery.id, runAt: now)
        return delivery
    }

    private func reports(
        teamID: Team.ID?, after: Delivery.Position?, for reader: User.ID
    ) async throws -> [DeliveryReport] {
        let teams = Set(try await store.read { try $0.teams(of: reader) }.map(\.team.id))
        var reports: [DeliveryReport] = []
        for delivery in try await store.read({ try $0.deliveries(of: teamID, after: after, limit: Self.pageSize) }) {
            let isMember = teams.contains(delivery.occasion.sprint.teamID)
            reports.append(
                DeliveryReport(delivery: delivery, counts: try await counts(of: delivery, isForMember: isMember)))
        }
        return reports
    }

    /// `nil` while the counts would reveal how many members have not voted, and always for callers who are not in the
    /// team: after the close they reveal how many had not, which is part of its result.
    private func counts(of delivery: Delivery, isForMember: Bool) async throws -> DeliveryCounts? {
        guard delivery.occasion.kind.dependsOnVotes else { return try await sum(of: [delivery]) }
        guard isForMember else { return nil }
        // If nothing was published, the counts would reveal how many voted, which may only be known as "fewer than k".
        let state = try await store.sprint(delivery.occasion.sprint)?.state
        guard let state, state.isClosed, state.published.count > 0 else { return nil }
        // On a later day a reminder goes to members who were absent on the first one, and at another hour to those who
        // chose it, mostly a single one whom colleagues know: its counts alone would reveal whether that member had
        // voted by then.
        let days = try await store.read { try $0.reminders(of: delivery.occasion.sprint) }
            .filter { $0.occasion.kind == delivery.occasion.kind && $0.state != .skipped }
        return days.first { $0.occasion.hour == nil }?.id == delivery.id ? try await sum(of: days) : nil
    }

    private func sum(of deliveries: [Delivery]) async throws -> DeliveryCounts? {
        var sum = DeliveryCounts()
        for delivery in deliveries {
            for batch in try await store.read({ try $0.batches(of: delivery.id) }) {
                guard let counts = seal.open(batch.sealedCounts, of: batch.key) else { return nil }
                sum = sum + counts
            }
        }
        return sum
    }
}

/// A delivery as shown to those who manage its team.
package struct DeliveryReport: Hashable, Sendable {
    /// The delivery.
    package let delivery: Delivery
    /// The outcomes, including reminders that absences moved to later days. `nil` for a reminder until its sprint is
    /// closed, and for good if nothing of that is published, on those later days, and for an administrator who is not
    /// in the team.
    package let counts: DeliveryCounts?

    /// Combines a delivery with the visible counts.
    package init(delivery: Delivery, counts: DeliveryCounts?) {
        self.delivery = delivery
        self.counts = counts
    }
}

extension Delivery.Text {
    /// Validates text from outside: a title of one line, at least one character in each part.
    /// - Throws: `AppError.unprocessable` naming the part and its limit.
    package init(validating title: String, body: String) throws(AppError) {
        func part(_ text: String, _ name: String, limit: Int, lines: Bool) throws(AppError) -> String {
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            // Four bytes per character leave room for the rest of a push service's 4,096.
            guard !trimmed.isEmpty, trimmed.count <= limit, trimmed.utf8.count <= 4 * limit else {
                throw AppError(.unprocessable, "The \(name) must have 1 to \(limit) characters.")
            }
            let isFit = trimmed.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control: lines && scalar == "\n"
                case .lineSeparator, .paragraphSeparator: false
                default: true
                }
            }
            guard isFit else {
                throw AppError(
                    .unprocessable, "The \(name) contains a control character or a line break that isn’t allowed.")
            }
            return trimmed
        }
        self.init(
            title: try part(title, "title", limit: PushMessage.maximumTitleLength, lines: false),
            body: try part(body, "body", limit: PushMessage.maximumBodyLength, lines: true))
    }
}

extension AppError {
    /// The team's messages of the day, or the user's tests, are used up.
    static let tooManyMessages = AppError(
        .tooManyRequests, "Too many messages in one day. Please try again tomorrow.",
        reason: .tooManyMessages, retryAfter: 3_600)
}
