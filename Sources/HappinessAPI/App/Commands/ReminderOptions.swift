import ArgumentParser
import Domain

/// The value `on` or `off` of an option. Unlike a flag, the option may also be missing.
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on
    case off
}

/// A team's reminder settings on the command line; a missing option keeps the value.
struct ReminderOptions: ParsableArguments {
    @Option(help: "Turn reminders on or off.")
    var reminders: Switch?
    @Option(help: "Timing of the reminders: start or end of the sprint.")
    var reminderTiming: ReminderTiming?
    @Option(help: "Hour of the reminders in the team's time zone, 0 to 17.")
    var reminderHour: Int?
    @Option(help: "Remind once more: start: on the second-to-last working day; end: on the last one.")
    var secondReminder: Switch?

    var change: ReminderSettingsChange {
        ReminderSettingsChange(
            isOn: reminders.map { $0 == .on }, timing: reminderTiming, hour: reminderHour,
            remindsAgain: secondReminder.map { $0 == .on })
    }
}

extension ReminderTiming: ExpressibleByArgument {}

extension ReminderSettings {
    /// One line per setting, under the name of its option.
    var lines: [String] {
        [
            "reminders        \(isOn ? Switch.on : .off)",
            "reminder-timing  \(timing)",
            "reminder-hour    \(hour)",
            "second-reminder  \(remindsAgain ? Switch.on : .off)",
        ]
    }
}
