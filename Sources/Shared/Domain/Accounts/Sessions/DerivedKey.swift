package import Crypto
import Foundation

/// Keys derived from `JWT_SECRET`, one per purpose, so that a code for one purpose is useless for another.
package enum DerivedKey: String {
    /// Codes of refresh tokens.
    case refreshTokens = "refresh-tokens"
    /// Keys under which failed logins are counted, so that the store contains neither names nor addresses.
    case loginThrottle = "login-throttle"
    /// The name of the signing key in the header of access tokens.
    case keyID = "key-id"
    /// Keys under which registrations and their mails are counted.
    case registrationQuota = "registration-quota"
    /// Encrypts what a browser keeps during a login at an OpenID provider.
    case signOn = "sign-on"
    /// Keys under which mail requests are counted, so that the store contains no addresses of people without an
    /// account.
    case mailQuota = "mail-quota"
    /// Signs links to pictures.
    case pictureLinks = "picture-links"
    /// Keys under which a user's uploads are counted.
    case pictureQuota = "picture-quota"
    /// Keys under which a user's reports of errors are counted.
    case clientErrorQuota = "client-error-quota"
    /// Proves that a form comes from one of our pages.
    case formTokens = "form-tokens"
    /// Encrypts a form that its sender's page keeps until they log in again.
    case keptForms = "kept-forms"
    /// Codes in mails, by which reports about them are believed.
    case addressCodes = "address-codes"
    /// Keys under which the tokens of Mailgun's reports are remembered.
    case mailReports = "mail-reports"
    /// Keys under which the addresses are remembered that providers have named.
    case providerAddresses = "provider-addresses"
    /// Marks of passwords that were typed with registrations.
    case unconfirmedLogins = "unconfirmed-log-ins"
    /// Signs the links that end a kind of mail.
    case unsubscribing

    /// HKDF-SHA-256 (RFC 5869), 32 bytes.
    package func make(from secret: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("happiness-metric \(rawValue)".utf8), outputByteCount: 32)
    }
}
