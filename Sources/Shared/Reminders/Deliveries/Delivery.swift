public import Foundation

/// One thing that goes to a team's people at once: a reminder, a message by hand, or a test of either's way.
///
/// It names nobody but who asked for it. Who gets it is decided while it is sent, person by person, and not kept.
public struct Delivery: Hashable, Sendable {
    /// A delivery's identity.
    public typealias ID = Identifier<Delivery>

    /// What is sent.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// The sprint's first reminder, to those who have not voted.
        case reminder
        /// The one shortly before the sprint's end, to those who still have not voted.
        case secondReminder
        /// Words of a lead or an admin, to every member.
        case message
        /// The reminder, to the one who asked for it and nobody else.
        case test
    }

    /// Where a delivery is in its life.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// On its way.
        case sending
        /// Everybody was served or given up.
        case done
        /// Its time passed while no worker ran: it was never sent.
        case skipped
    }

    /// Why a delivery was skipped, or what held it up last.
    public enum Trouble: String, Sendable, Codable, CaseIterable {
        /// No worker ran within its hours.
        case windowMissed = "window-missed"
        /// A push service or the mail server was away or is not set up rightly. Not which: where one person alone gets
        /// mails, that would tell that this person has not voted.
        case serviceUnavailable = "service-unavailable"
    }

    /// What somebody wrote.
    public struct Text: Hashable, Sendable {
        /// One line, `PushMessage.maximumTitleLength` characters at most.
        public let title: String
        /// `PushMessage.maximumBodyLength` characters at most.
        public let body: String

        /// Words that keep to their limits.
        public init(title: String, body: String) {
            self.title = title
            self.body = body
        }
    }

    /// What a reminder is for. There is one delivery of each, however many workers plan it.
    public struct Occasion: Hashable, Sendable {
        /// Whose sprint.
        public let sprint: Sprint.Key
        /// Which reminder.
        public let kind: Kind
        /// The day in the team's zone.
        public let day: CalendarDay

        /// A reminder of that day.
        public init(sprint: Sprint.Key, kind: Kind, day: CalendarDay) {
            self.sprint = sprint
            self.kind = kind
            self.day = day
        }
    }

    /// The delivery's identity.
    public let id: ID
    /// What it is for. Only reminders are unique in it.
    public let occasion: Occasion
    /// Where it is in its life.
    public var state: State
    /// When it was planned or asked for; after `patience` nothing more is sent. Milliseconds.
    public let begun: Date
    /// Why it was skipped, or what held it up last; `nil` while nothing did.
    public var trouble: Trouble?
    /// The words of a `message`; `nil` for the others, whose words are the program's.
    public let text: Text?
    /// Who asked for a `message` or a `test`; `nil` for the others, and once that account is gone.
    public var requestedBy: User.ID?

    /// Seconds after which what could not be sent is given up: an error of a push service that lasts longer is no
    /// passing one (Firebase, "Best practices when sending FCM messages at scale").
    public static let patience: TimeInterval = 3_600

    /// A delivery as a store keeps it.
    public init(
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

    /// Its place in lists.
    public var position: Position { Position(day: occasion.day, id: id) }

    /// A delivery's place in lists, the newest day first: `2026-11-20.` and the id.
    public struct Position: Hashable, Sendable, LosslessStringConvertible {
        /// The delivery's day.
        public let day: CalendarDay
        /// The delivery.
        public let id: ID

        /// The place of a delivery of that day.
        public init(day: CalendarDay, id: ID) {
            self.day = day
            self.id = id
        }

        /// Reads what `description` prints; `nil` for anything else.
        public init?(_ description: String) {
            let parts = description.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let day = CalendarDay(parts[0]), let id = ID(parts[1]) else { return nil }
            self.init(day: day, id: id)
        }

        /// Safe in a URL.
        public var description: String { "\(day).\(id)" }
    }
}

extension Delivery.Kind {
    /// Whether it goes to those who have not voted: then its counts would tell how many these are.
    public var dependsOnVotes: Bool {
        switch self {
        case .reminder, .secondReminder: true
        case .message, .test: false
        }
    }
}
