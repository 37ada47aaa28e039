package import Domain
package import Foundation
package import Storage

/// The wordings for the recipients of one delivery.
package struct ExperimentWordings: Sendable {
    private let experiment: ReminderExperiment
    private let sides: ExperimentSides

    init(experiment: ReminderExperiment, secret: BallotSecret) {
        self.experiment = experiment
        sides = ExperimentSides(secret: secret)
    }

    /// The side a member is on.
    package func side(of userID: User.ID) -> ReminderExperiment.Side {
        sides.side(of: userID, in: experiment.id)
    }

    /// The team's settings with a side's words in place of its own.
    package func settings(_ settings: ReminderSettings, for side: ReminderExperiment.Side) -> ReminderSettings {
        experiment.settings(settings, for: side)
    }
}

extension Store {
    /// The wordings of a reminder; `nil` if no experiment covers it. A test reminder never takes part: it would reveal
    /// their side to the lead who requests it.
    /// - Parameter zone: the team's.
    package func wordings(
        of occasion: Delivery.Occasion, in zone: TimeZone, secret: BallotSecret
    ) async throws -> ExperimentWordings? {
        guard occasion.kind.dependsOnVotes,
            let experiment = try await read({ try $0.experiment(of: occasion.sprint.teamID, on: occasion.day) }),
            experiment.kind == occasion.kind.reminderKind,
            experiment.covers(occasion.day, inSprintFrom: CalendarDay(instant: occasion.sprint.start, in: zone))
        else { return nil }
        return ExperimentWordings(experiment: experiment, secret: secret)
    }
}
