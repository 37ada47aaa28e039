/// Mails to an account's present address do not arrive, or are not wanted there.
///
/// Only the day is kept: the minute would tell which mail it was. No text of a mail server is stored.
package struct AddressFault: Hashable, Sendable {
    /// What was reported.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// A mail was rejected permanently.
        case bounced
        /// A mail was reported as spam.
        case complained
    }

    /// What was reported first.
    package let kind: Kind
    /// The UTC day of the report.
    package let since: CalendarDay

    /// Takes the values as given.
    package init(kind: Kind, since: CalendarDay) {
        self.kind = kind
        self.since = since
    }
}
