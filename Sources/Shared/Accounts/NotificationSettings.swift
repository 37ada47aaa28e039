/// What a user wants to be told of outside the pages. Mails about the account itself (reset, change of address) are
/// always sent.
public struct NotificationSettings: Hashable, Sendable, Codable {
    /// Messages to the user's devices.
    public var push: Bool
    /// Reminders by e-mail.
    public var mail: Bool

    /// Everything, unless told otherwise.
    public init(push: Bool = true, mail: Bool = true) {
        self.push = push
        self.mail = mail
    }
}
