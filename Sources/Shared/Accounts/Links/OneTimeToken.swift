public import Foundation

/// What a mailed link stands for, as it is kept: the link holds 256 random bits, the store their hash.
///
/// Made by the worker when it writes the mail, so that no job carries one. A mail that is sent again brings another
/// token: all that have not expired count, and using one ends the others of the same purpose and subject.
public struct OneTimeToken: Hashable, Sendable {
    /// What its holder may do, once.
    public enum Purpose: String, Sendable, Codable, CaseIterable {
        /// Choose a new password. Subject: the user's id.
        case passwordReset
        /// Confirm a new e-mail address. Subject: the user's id.
        case emailChange
        /// Accept an invitation. Subject: the invitation's id.
        case invitation
        /// Confirm the address of a registration. Subject: the registration's id.
        case registration
        /// Create the first administrator. Subject: the installation.
        case setup
        /// Get the tokens of a log-in through an OpenID provider. Subject: the user's id.
        case logIn

        /// Seconds a link counts. A reset is asked for and used at once; an invitation may wait for somebody's holidays.
        public var lifetime: TimeInterval {
            switch self {
            case .passwordReset: 3_600
            case .emailChange, .registration, .setup: 86_400
            case .invitation: 14 * 86_400
            // From one program to another on the same device.
            case .logIn: 60
            }
        }
    }

    /// SHA-256 of the token's text.
    public let hash: [UInt8]
    /// What its holder may do, once.
    public let purpose: Purpose
    /// Whose or which: an id, by purpose.
    public let subject: String
    /// The address the mail went to; empty for a link that was not mailed. A token counts only while it still is the subject's.
    public let email: String
    /// The first instant at which it does not count.
    public let expires: Date

    /// A token as a store keeps it.
    public init(hash: [UInt8], purpose: Purpose, subject: String, email: String, expires: Date) {
        self.hash = hash
        self.purpose = purpose
        self.subject = subject
        self.email = email
        self.expires = expires
    }

    /// A new token: its text for the link, and what is kept of it.
    public static func make(
        _ purpose: Purpose, subject: String, email: String, at now: Date
    ) -> (text: String, token: OneTimeToken) {
        let text = SecureBytes.random(count: 32).base64URL
        let token = OneTimeToken(
            hash: hash(of: text), purpose: purpose, subject: subject, email: email,
            expires: now.addingTimeInterval(purpose.lifetime))
        return (text, token)
    }

    /// What a token's text is kept as.
    public static func hash(of text: String) -> [UInt8] {
        SecureBytes.sha256(Data(text.utf8))
    }
}

/// Where one-time tokens are kept, and how many mails an account has had. Every call may also throw
/// `AppError.storeUnavailable`.
///
/// No call here uses a token up: the store does that which does what the token is for, in one transaction (`TokenClaim`).
public protocol OneTimeTokenStore: Sendable {
    /// Stores a token.
    func insert(_ token: OneTimeToken) async throws

    /// The token, if it is there, of this purpose, and unexpired at `now`; `nil` otherwise. Changes nothing.
    func find(hash: [UInt8], purpose: OneTimeToken.Purpose, at now: Date) async throws -> OneTimeToken?

    /// The tokens of a subject, of whatever purpose, expired ones included until they are removed; by expiry.
    func list(subject: String) async throws -> [OneTimeToken]

    /// Removes the tokens of a subject: what they were for is done or withdrawn.
    func deleteAll(purpose: OneTimeToken.Purpose, subject: String) async throws

    /// Removes tokens that expired before `instant`, and quota entries older than a day before it.
    func deleteExpired(before instant: Date) async throws

    /// Takes one of `limit` places within the `window` seconds before `now` under a key, in one atomic step.
    /// - Returns: false, and nothing taken, if all places are taken.
    func takeQuota(key: [UInt8], limit: Int, window: TimeInterval, at now: Date) async throws -> Bool
}

extension OneTimeToken {
    /// For stores: quota entries before this are removed. A day before `instant`: as long as the longest quota's window.
    static func quotaHorizon(at instant: Date) -> Date {
        instant.addingTimeInterval(-86_400)
    }
}
