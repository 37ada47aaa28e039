/// The notifications a user wants to receive. Mails about the account itself (reset, change of address) are always
/// sent.
public struct NotificationSettings: Hashable, Sendable, Codable {
    /// Push messages to the user's devices.
    public var push: Bool
    /// Reminders by e-mail.
    public var mail: Bool

    /// Everything is on by default.
    public init(push: Bool = true, mail: Bool = true) {
        self.push = push
        self.mail = mail
    }
}
