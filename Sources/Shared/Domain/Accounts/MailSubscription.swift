/// A kind of mail that a user can switch off, in the settings or by the link in each mail. All others are about the
/// account itself and are always sent. The raw value is part of the link.
package enum MailSubscription: String, Sendable, CaseIterable {
    /// Reminders and team messages: `NotificationSettings.mail`.
    case reminders
    /// The result of each sprint: `NotificationSettings.results`.
    case results
}
