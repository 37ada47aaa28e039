public import Foundation

/// The wordings that the people of one delivery get.
public struct ExperimentWordings: Sendable {
    private let experiment: ReminderExperiment
    private let sides: ExperimentSides

    init(experiment: ReminderExperiment, secret: BallotSecret) {
        self.experiment = experiment
        sides = ExperimentSides(secret: secret)
    }

    /// A person's side.
    public func side(of userID: User.ID) -> ReminderExperiment.Side {
        sides.side(of: userID, in: experiment.id)
    }

    /// The team's settings with a side's words in place of its own.
    public func settings(_ settings: ReminderSettings, for side: ReminderExperiment.Side) -> ReminderSettings {
        experiment.settings(settings, for: side)
    }
}

extension ExperimentStore {
    /// The wordings of a reminder; `nil` if no experiment is about it. A test reminder is never part of one: it would
    /// tell whoever asks for it their side.
    /// - Parameter zone: the team's.
    public func wordings(
        of occasion: Delivery.Occasion, in zone: TimeZone, secret: BallotSecret
    ) async throws -> ExperimentWordings? {
        guard occasion.kind.dependsOnVotes,
            let experiment = try await find(teamID: occasion.sprint.teamID, on: occasion.day),
            experiment.kind == occasion.kind.reminderKind,
            experiment.covers(occasion.day, inSprintFrom: CalendarDay(instant: occasion.sprint.start, in: zone))
        else { return nil }
        return ExperimentWordings(experiment: experiment, secret: secret)
    }
}
