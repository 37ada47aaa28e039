/// The notifications a user wants to receive. Mails about the account itself (reset, change of address) are always
/// sent.
package struct NotificationSettings: Hashable, Sendable, Codable {
    /// Push messages to the user's devices.
    package var push: Bool
    /// Reminders and team messages by e-mail.
    package var mail: Bool
    /// The result of each sprint by e-mail.
    package var results: Bool
    /// The hour of reminders, one of `ReminderHour.all` in the team's time zone; `nil` for the team's own.
    package var hour: Int?
    /// Days of the week without reminders, for people who work part-time. Nobody else sees them.
    package var daysOff: Set<Weekday>

    /// By default reminders and team messages are on, at the team's hour and on all days; a user asks for results.
    package init(
        push: Bool = true, mail: Bool = true, results: Bool = false, hour: Int? = nil, daysOff: Set<Weekday> = []
    ) {
        self.push = push
        self.mail = mail
        self.results = results
        self.hour = hour
        self.daysOff = daysOff
    }

    private enum CodingKeys: CodingKey {
        case push, mail, results, hour, daysOff
    }

    /// Days off are missing if there are none.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            push: try values.decode(Bool.self, forKey: .push), mail: try values.decode(Bool.self, forKey: .mail),
            results: try values.decode(Bool.self, forKey: .results),
            hour: try values.decodeIfPresent(Int.self, forKey: .hour),
            daysOff: try values.decodeIfPresent(Set<Weekday>.self, forKey: .daysOff) ?? [])
    }

    /// Days off are in order, and left out if there are none.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(push, forKey: .push)
        try values.encode(mail, forKey: .mail)
        try values.encode(results, forKey: .results)
        try values.encodeIfPresent(hour, forKey: .hour)
        if !daysOff.isEmpty { try values.encode(daysOff.sorted(), forKey: .daysOff) }
    }

    /// Whether the user gets mails of this kind.
    package subscript(subscription: MailSubscription) -> Bool {
        switch subscription {
        case .reminders: mail
        case .results: results
        }
    }
}

/// A partial change of the notifications; `nil` leaves a value unchanged.
package struct NotificationChange: Hashable, Sendable, Decodable {
    /// Push messages to the user's devices.
    package var push: Bool?
    /// Reminders and team messages by e-mail.
    package var mail: Bool?
    /// The result of each sprint by e-mail.
    package var results: Bool?
    /// The hour of reminders; `.some(nil)` for the team's own.
    package var hour: Int??
    /// Days of the week without reminders.
    package var daysOff: Set<Weekday>?

    /// By default changes nothing.
    package init(
        push: Bool? = nil, mail: Bool? = nil, results: Bool? = nil, hour: Int?? = nil, daysOff: Set<Weekday>? = nil
    ) {
        self.push = push
        self.mail = mail
        self.results = results
        self.hour = hour
        self.daysOff = daysOff
    }

    private enum CodingKeys: CodingKey {
        case push, mail, results, hour, daysOff
    }

    /// Missing values change nothing, and neither does `null`, except for the hour: there it means the team's own.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        push = try values.decodeIfPresent(Bool.self, forKey: .push)
        mail = try values.decodeIfPresent(Bool.self, forKey: .mail)
        results = try values.decodeIfPresent(Bool.self, forKey: .results)
        hour = values.contains(.hour) ? .some(try values.decodeIfPresent(Int.self, forKey: .hour)) : nil
        daysOff = try values.decodeIfPresent(Set<Weekday>.self, forKey: .daysOff)
    }

    /// Ends the mails of one kind.
    package init(ending subscription: MailSubscription) {
        switch subscription {
        case .reminders: self.init(mail: false)
        case .results: self.init(results: false)
        }
    }

    /// The change, if its hour is one at which reminders are sent.
    /// - Throws: `AppError.unprocessable` naming the hours.
    package func validated() throws(AppError) -> NotificationChange {
        if case .some(.some(let hour)) = hour { try ReminderHour.validate(hour) }
        return self
    }

    /// The settings after the change.
    package func applied(to settings: NotificationSettings) -> NotificationSettings {
        NotificationSettings(
            push: push ?? settings.push, mail: mail ?? settings.mail, results: results ?? settings.results,
            hour: hour ?? settings.hour, daysOff: daysOff ?? settings.daysOff)
    }
}

/// The hours of the day at which reminders are sent, to a team or to a member who chose another one.
package enum ReminderHour {
    /// Hours. A reminder that missed its minute may still be sent until `ReminderCalendar.lastHour`.
    package static let all = 0...17

    /// - Throws: `AppError.unprocessable` naming the hours at which reminders are sent, unless it is one of them.
    package static func validate(_ hour: Int) throws(AppError) {
        guard all.contains(hour) else {
            throw AppError(.unprocessable, "The hour must be from \(all.lowerBound) to \(all.upperBound).")
        }
    }
}
