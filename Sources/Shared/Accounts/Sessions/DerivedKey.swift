import Crypto
import Foundation

/// Keys made from `JWT_SECRET`, one a purpose, so that a code made for one purpose means nothing for another.
enum DerivedKey: String {
    /// Codes of refresh tokens.
    case refreshTokens = "refresh-tokens"
    /// Keys under which failed log-ins are counted: the store holds neither names nor addresses.
    case loginThrottle = "login-throttle"
    /// The name of the signing key in the header of access tokens.
    case keyID = "key-id"
    /// Keys under which registrations and their mails are counted.
    case registrationQuota = "registration-quota"
    /// Seals what a browser keeps while somebody logs in at an OpenID provider.
    case signOn = "sign-on"
    /// Keys under which mails that were asked for are counted: the store holds no addresses of people who are not here.
    case mailQuota = "mail-quota"
    /// Signs links to pictures.
    case pictureLinks = "picture-links"
    /// Keys under which a user's uploads are counted.
    case pictureQuota = "picture-quota"
    /// Keys under which a user's reports of errors are counted.
    case clientErrorQuota = "client-error-quota"
    /// Proves that a form comes from a page of ours.
    case formTokens = "form-tokens"
    /// Seals a form that waits in its sender's page for them to log in again.
    case keptForms = "kept-forms"

    /// HKDF-SHA-256 (RFC 5869), 32 bytes.
    func make(from secret: SymmetricKey) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, info: Data("happiness-metric \(rawValue)".utf8), outputByteCount: 32)
    }
}
