package import Domain
package import Foundation
package import Storage

/// Counts how many members of each side of an experiment voted: once per sprint, between its close and the removal of
/// its receipts (`SprintClosing`).
///
/// While a sprint runs, it records the membership from time to time, to detect at the close that a member left.
package struct ExperimentMeasurer: Sendable {
    /// Days for which an experiment is processed after its last day. They cover the longest sprint (28) and grace
    /// period (7), and a worker that was down for two months still catches up.
    static let daysAfterLast = 100
    /// The maximum number of a team's experiments that can share a sprint: their periods do not overlap.
    private static let latest = 100
    /// Experiments per read.
    private static let pageSize = 100
    /// Members per read.
    private static let memberPage = 500

    private let store: any Store
    private let ballots: any BallotStore
    private let secret: BallotSecret
    private let sides: ExperimentSides
    private let sprints: ExperimentSprintFinder

    /// - Parameter secret: determines sides and shows who voted.
    package init(stores: Stores, secret: BallotSecret) {
        store = stores.rows
        ballots = stores.ballots
        self.secret = secret
        sides = ExperimentSides(secret: secret)
        sprints = ExperimentSprintFinder(stores: stores)
    }

    /// Counts a closed, not yet cleared sprint for each experiment it is part of. Idempotent.
    package func measure(_ record: SprintRecord) async throws {
        guard let team = try await store.team(record.sprint.teamID) else { return }
        let start = CalendarDay(instant: record.sprint.start, in: team.settings.zone)
        for experiment in try await store.read({ try $0.experiments(of: team.id, limit: Self.latest) })
        where (experiment.first...max(experiment.first, experiment.last)).contains(start) {
            let sprint = ExperimentSprint(experimentID: experiment.id, start: record.sprint.start)
            try await measure(record, as: sprint, of: experiment, in: team)
        }
    }

    /// Records the members for every experiment with a sprint that runs at an instant. Idempotent.
    /// - Throws: `StorageError.unavailable` immediately; any other error of one experiment after the others were
    ///   processed.
    package func noteMembers(at now: Date) async throws {
        // One more day on both sides, for the time zones.
        let today = CalendarDay(instant: now, in: .gmt)
        let period = today.adding(days: -Self.daysAfterLast)...today.adding(days: 1)
        var failure: (any Error)?
        var after: ReminderExperiment.ID?
        repeat {
            let page = try await store.read { [after] rows in
                try rows.experiments(within: period, after: after, limit: Self.pageSize)
            }
            for experiment in page {
                try Task.checkCancellation()
                do {
                    try await noteMembers(of: experiment)
                } catch  where AppError(error)?.code == .unavailable {
                    throw error
                } catch {
                    failure = error
                }
            }
            after = page.count < Self.pageSize ? nil : page.last?.id
        } while after != nil
        if let failure { throw failure }
    }

    private func noteMembers(of experiment: ReminderExperiment) async throws {
        guard let team = try await store.team(experiment.teamID) else { return }
        let results = try await store.read { try $0.experimentResults(of: experiment.id) }
        for record in try await sprints.started(in: experiment, zone: team.settings.zone)
        where results[record.sprint.start] == nil {
            let sprint = ExperimentSprint(experimentID: experiment.id, start: record.sprint.start)
            if record.isCleared {
                // The sprint was cleared without a count, by a version that counted later or while the experiment was
                // being added.
                _ = try await store.write { try $0.record(.missed, of: sprint) }
            } else if !record.state.isClosed {
                let marks = try await marks(of: team.id, in: sprint)
                try await store.write { try $0.noteMembers(marks, in: sprint) }
            }
        }
    }

    /// - Parameter record: closed.
    private func measure(
        _ record: SprintRecord, as sprint: ExperimentSprint, of experiment: ReminderExperiment, in team: Team
    ) async throws {
        let result: ExperimentResult
        switch try await sprints.sending(of: experiment, in: record.sprint.key) {
        case .underWay, .none: result = .missed
        case .done:
            // Counts before it reads the members, so that a member who leaves in between is missing from the later
            // read.
            let counts = try await sideCounts(record.sprint.key, as: sprint)
            let noted = try await store.read { try $0.notedMembers(in: sprint) }.values
            let members = try await marks(of: team.id, in: sprint).values
            // If no member was recorded, membership was never checked, so a member may have left.
            let hasLostMembers = noted.isEmpty || !noted.isSubset(of: members)
            // Members who share a mailbox have one ballot, so it is known of all but one that they have not voted.
            let shared = try await SharedMailboxes.groups(
                in: team.id, store: store, subaddressing: secret.subaddressing)
            result = ExperimentResult.judged(
                counts, of: record, threshold: max(record.sprint.threshold, team.settings.threshold),
                hasLostMembers: hasLostMembers || !shared.isEmpty)
        }
        _ = try await store.write { try $0.record(result, of: sprint) }
    }

    /// Counts the voters of both sides. Nothing about individual members is kept.
    private func sideCounts(_ key: Sprint.Key, as sprint: ExperimentSprint) async throws -> ExperimentCounts {
        var counts = ExperimentCounts()
        try await forEachPage(of: key.teamID) { page in
            let receipts = page.map { Receipt(secret: secret, sprint: key, userID: $0) }
            let voted = try await ballots.existing(among: receipts)
            for (id, receipt) in zip(page, receipts) {
                let side = sides.side(of: id, in: sprint.experimentID)
                counts[side].members += 1
                if voted.contains(receipt) { counts[side].voted += 1 }
            }
        }
        return counts
    }

    private func marks(of teamID: Team.ID, in sprint: ExperimentSprint) async throws -> MemberMarks {
        var marks = MemberMarks()
        try await forEachPage(of: teamID) { page in
            marks.values.formUnion(page.map { sides.mark(of: $0, in: sprint) })
        }
        return marks
    }

    private func forEachPage(of teamID: Team.ID, _ body: ([User.ID]) async throws -> Void) async throws {
        var after: User.ID?
        repeat {
            let page = try await store.read { [after] rows in
                try rows.memberIDs(of: teamID, after: after, through: nil, limit: Self.memberPage)
            }
            try await body(page)
            after = page.count < Self.memberPage ? nil : page.last
        } while after != nil
    }
}
