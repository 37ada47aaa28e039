/// A new password for whoever is logged in and knows the present one.
public struct PasswordChangeService: Sendable {
    private let logIns: LogInService
    private let users: any UserStore
    private let tokens: any OneTimeTokenStore
    private let mails: MailJobs

    /// - Parameter logIns: checks the present password and sets the new one.
    public init(logIns: LogInService, stores: Stores, mails: MailJobs) {
        self.logIns = logIns
        users = stores.users
        tokens = stores.tokens
        self.mails = mails
    }

    /// Sets the password as `LogInService.changePassword` does, and tells the owner by mail. Links that were mailed to
    /// the account before do not count any more, and no address waits to be confirmed: whoever knew the old password
    /// may have asked for either.
    /// - Throws: as `LogInService.changePassword`.
    public func change(from old: String, to new: String, by principal: Principal) async throws {
        try await logIns.changePassword(from: old, to: new, by: principal)
        let id = principal.userID
        try await users.update(id: id, UserUpdate(pendingEmail: .cleared))
        for purpose in [OneTimeToken.Purpose.emailChange, .passwordReset] {
            try await tokens.deleteAll(purpose: purpose, subject: id.description)
        }
        try await mails.passwordChanged(of: id)
    }
}
