import ArgumentParser
import Shared

/// `on` or `off` behind an option: other than a flag, it can be left unnamed.
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}

/// A team's reminders on the command line; what is not named stays as it is.
struct ReminderOptions: ParsableArguments {
    @Option(help: "Remind the team's members at all.")
    var reminders: Switch?
    @Option(help: "Hour of the reminders in the team's time zone, 0 to 17.")
    var reminderHour: Int?
    @Option(help: "Remind once more towards the sprint's end.")
    var secondReminder: Switch?

    var change: ReminderSettingsChange {
        ReminderSettingsChange(
            isOn: reminders.map { $0 == .on }, hour: reminderHour, remindsAgain: secondReminder.map { $0 == .on })
    }
}

extension ReminderSettings {
    /// A line for each setting an option changes, under its name.
    var lines: [String] {
        [
            "reminders        \(isOn ? Switch.on : .off)",
            "reminder-hour    \(hour)",
            "second-reminder  \(remindsAgain ? Switch.on : .off)",
        ]
    }
}
