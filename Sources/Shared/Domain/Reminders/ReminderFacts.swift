/// What the plan of a team's reminders depends on, besides the team itself and absences.
package struct ReminderFacts: Sendable {
    /// The present settings.
    package let settings: ReminderSettings
    /// The sprint that runs, open or closed; `nil` if none has been started.
    package let running: SprintRecord?
    /// The running sprint's reminders so far, including skipped ones, ordered by day. Not read if the sprint is closed
    /// or the team wants no reminders.
    package let earlier: [Delivery]

    /// Takes what a store has read.
    package init(settings: ReminderSettings, running: SprintRecord?, earlier: [Delivery]) {
        self.settings = settings
        self.running = running
        self.earlier = earlier
    }

    /// Whether anyone may have to be reminded of the running sprint.
    package static func mayRemind(of running: SprintRecord?, _ settings: ReminderSettings) -> Bool {
        settings.isOn && running?.state.isClosed == false
    }
}
