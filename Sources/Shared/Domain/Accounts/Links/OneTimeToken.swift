package import Foundation

/// The stored form of a mailed link: the link holds 256 random bits, the store their hash.
///
/// The worker creates it when it writes the mail, so that no job contains one. A mail that is sent again contains
/// another token: all unexpired tokens are valid, and using one invalidates the others of the same purpose and subject.
package struct OneTimeToken: Hashable, Sendable {
    /// The single action a token permits.
    package enum Purpose: String, Sendable, Codable, CaseIterable {
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
        /// Get the tokens of a login through an OpenID provider. Subject: the user's id.
        case logIn
        /// Read the user's calendar. Subject: the user's id. The exception: reading does not use it up.
        case calendar
        /// No link: a name or an address that waits to be confirmed, with its password. Subject: its own hash, in
        /// hexadecimal digits.
        case unconfirmedLogIn

        /// Seconds a link is valid. A reset is requested and used at once; an invitation may have to outlast a holiday.
        package var lifetime: TimeInterval {
            switch self {
            case .passwordReset: 3_600
            case .emailChange, .registration, .setup: 86_400
            case .invitation: 14 * 86_400
            // Passed from one program to another on the same device.
            case .logIn: 60
            // A calendar program reads it every few hours for as long as it is subscribed.
            case .calendar: 10 * 365 * 86_400
            // As long as the registration.
            case .unconfirmedLogIn: 7 * 86_400
            }
        }
    }

    /// SHA-256 of the token's text.
    package let hash: [UInt8]
    /// The single action it permits.
    package let purpose: Purpose
    /// The id of the user, invitation, registration or installation, depending on the purpose.
    package let subject: String
    /// The address the mail went to; empty for a link that was not mailed. The token is valid only while it is the
    /// subject's address.
    package let email: String
    /// The first instant at which it is no longer valid.
    package let expires: Date

    /// Creates a token as a store keeps it.
    package init(hash: [UInt8], purpose: Purpose, subject: String, email: String, expires: Date) {
        self.hash = hash
        self.purpose = purpose
        self.subject = subject
        self.email = email
        self.expires = expires
    }

    /// Creates a token: the text for the link, and the stored form.
    package static func make(
        _ purpose: Purpose, subject: String, email: String, at now: Date
    ) -> (text: String, token: OneTimeToken) {
        let text = SecureBytes.random(count: 32).base64URL
        let token = OneTimeToken(
            hash: hash(of: text), purpose: purpose, subject: subject, email: email,
            expires: now.addingTimeInterval(purpose.lifetime))
        return (text, token)
    }

    /// The stored form of a token's text: its SHA-256. White space at the ends, as of pasted text, makes no other token.
    package static func hash(of text: String) -> [UInt8] {
        SecureBytes.sha256(Data(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8))
    }
}

extension OneTimeToken {
    /// Quota entries before this are removed. A day before `instant`, which is the longest quota window.
    package static func quotaHorizon(at instant: Date) -> Date {
        instant.addingTimeInterval(-86_400)
    }
}
