/// The notifications a user wants to receive. Mails about the account itself (reset, change of address) are always
/// sent.
package struct NotificationSettings: Hashable, Sendable, Codable {
    /// Push messages to the user's devices.
    package var push: Bool
    /// Reminders by e-mail.
    package var mail: Bool

    /// Everything is on by default.
    package init(push: Bool = true, mail: Bool = true) {
        self.push = push
        self.mail = mail
    }
}
