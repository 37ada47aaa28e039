package import Foundation

/// One transmission to a team: a reminder, a manual message, or a test.
///
/// It names nobody except the user who requested it. The recipients are determined one by one while it is sent, and are
/// not stored.
package struct Delivery: Hashable, Sendable {
    /// Identifies a delivery.
    package typealias ID = Identifier<Delivery>

    /// The content of a delivery.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// The sprint's first reminder, to members who have not voted.
        case reminder
        /// The reminder shortly before the sprint's end, to members who still have not voted.
        case secondReminder
        /// A text by a lead or an admin, to every member.
        case message
        /// The reminder, only to the user who requested it.
        case test
    }

    /// The stages of a delivery.
    package enum State: String, Sendable, Codable, CaseIterable {
        /// Being sent.
        case sending
        /// Sent to all recipients, or abandoned for some.
        case done
        /// No worker ran in time: it was never sent.
        case skipped
    }

    /// Why a delivery was skipped, or its latest delay.
    package enum Trouble: String, Sendable, Codable, CaseIterable {
        /// No worker ran within its hours.
        case windowMissed = "window-missed"
        /// A push service or the mail server was unavailable or is misconfigured. It does not say which: if only one
        /// member gets mails, that would reveal that this member has not voted.
        case serviceUnavailable = "service-unavailable"
    }

    /// The text of a manual message.
    package struct Text: Hashable, Sendable {
        /// One line, at most `PushMessage.maximumTitleLength` characters.
        package let title: String
        /// At most `PushMessage.maximumBodyLength` characters.
        package let body: String

        /// Title and body must respect their limits.
        package init(title: String, body: String) {
            self.title = title
            self.body = body
        }
    }

    /// The occasion of a reminder. There is one delivery for each, however many workers plan it.
    package struct Occasion: Hashable, Sendable {
        /// The sprint that members are reminded of.
        package let sprint: Sprint.Key
        /// Which reminder.
        package let kind: Kind
        /// The day in the team's time zone.
        package let day: CalendarDay
        /// The hour of the members who chose it for themselves; `nil` for all others.
        package let hour: Int?

        /// Names a reminder, its day and, for members who chose one, their hour.
        package init(sprint: Sprint.Key, kind: Kind, day: CalendarDay, hour: Int? = nil) {
            self.sprint = sprint
            self.kind = kind
            self.day = day
            self.hour = hour
        }
    }

    /// Also names its jobs and batches.
    package let id: ID
    /// The occasion. Only reminders must be unique in it.
    package let occasion: Occasion
    /// Its present stage.
    package var state: State
    /// When it was planned or requested; after `patience` nothing more is sent. Milliseconds.
    package let begun: Date
    /// Why it was skipped, or its latest delay; `nil` if there was none.
    package var trouble: Trouble?
    /// The text of a `message`; `nil` for the others, whose text comes from the program.
    package let text: Text?
    /// The user who requested a `message` or a `test`; `nil` for the others, and after that account was deleted.
    package var requestedBy: User.ID?

    /// Seconds after which unsent messages are abandoned: a longer failure of a push service is not transient
    /// (Firebase, "Best practices when sending FCM messages at scale").
    package static let patience: TimeInterval = 3_600
    /// The same for the mails of a message, which are useful longer than a reminder.
    package static let mailPatience: TimeInterval = 86_400

    /// When the unsent mails of a message are given up; `nil` for a reminder, whose mails end with its messages.
    package var mailEnd: Date? { occasion.kind == .message ? begun + Self.mailPatience : nil }

    /// Creates a delivery as a store keeps it.
    package init(
        id: ID = .random(), occasion: Occasion, state: State = .sending, begun: Date, trouble: Trouble? = nil,
        text: Text? = nil, requestedBy: User.ID? = nil
    ) {
        self.id = id
        self.occasion = occasion
        self.state = state
        self.begun = begun
        self.trouble = trouble
        self.text = text
        self.requestedBy = requestedBy
    }

    /// Its position in lists.
    package var position: Position { Position(day: occasion.day, id: id) }

    /// The position of a delivery in lists, the newest day first: `2026-11-20.` and the id.
    package struct Position: Hashable, Sendable, LosslessStringConvertible {
        /// The delivery's day.
        package let day: CalendarDay
        /// The delivery.
        package let id: ID

        /// Names a position by day and id.
        package init(day: CalendarDay, id: ID) {
            self.day = day
            self.id = id
        }

        /// Parses the result of `description`; `nil` for anything else.
        package init?(_ description: String) {
            let parts = description.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let day = CalendarDay(parts[0]), let id = ID(parts[1]) else { return nil }
            self.init(day: day, id: id)
        }

        /// Safe in a URL.
        package var description: String { "\(day).\(id)" }
    }
}

extension Delivery.Kind {
    /// Whether it is sent to members who have not voted: its counts would then reveal their number.
    package var dependsOnVotes: Bool {
        switch self {
        case .reminder, .secondReminder: true
        case .message, .test: false
        }
    }
}
