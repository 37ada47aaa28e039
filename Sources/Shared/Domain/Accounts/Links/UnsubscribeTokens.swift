package import Crypto
import Foundation

/// Issues and verifies the tokens of the links that end one kind of mail for one user: `kind.user.code`.
///
/// The code is an HMAC, so nothing is stored and a link in an old mail stays valid. All mails of a kind to a user have
/// the same link. A token permits nothing but ending these mails. It belongs to the account, not to an address.
package struct UnsubscribeTokens: Sendable {
    /// Bytes of the code: 128 bits cannot be guessed, and a short link survives more mail programs.
    private static let codeLength = 16

    private let key: SymmetricKey

    /// - Parameter secret: `JWT_SECRET`.
    package init(secret: SymmetricKey) {
        key = DerivedKey.unsubscribing.make(from: secret)
    }

    /// The link in a mail. Its `GET` shows a button and changes nothing, because mail scanners open links; a `POST`
    /// ends the mails (RFC 8058).
    /// - Parameter publicURL: `ServerSettings.publicURL`, never taken from a request.
    package func link(publicURL: String, ending subscription: MailSubscription, of userID: User.ID) -> String {
        "\(publicURL)/unsubscribe?token=\(token(ending: subscription, of: userID))"
    }

    /// The token of a link; safe in a URL.
    package func token(ending subscription: MailSubscription, of userID: User.ID) -> String {
        "\(subscription.rawValue).\(userID).\(code(subscription, userID).base64URL)"
    }

    /// The subscription and user of a token; `nil` if it was not issued by this server.
    package func parse(_ token: String) -> (subscription: MailSubscription, userID: User.ID)? {
        let parts = token.trimmingCharacters(in: .whitespacesAndNewlines)
            .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let subscription = MailSubscription(rawValue: parts[0]),
            let userID = User.ID(parts[1]), let code = [UInt8](base64URL: parts[2]),
            SecureBytes.areEqual(code, self.code(subscription, userID))
        else { return nil }
        return (subscription, userID)
    }

    private func code(_ subscription: MailSubscription, _ userID: User.ID) -> [UInt8] {
        Array(SecureBytes.hmac(Data("\(subscription.rawValue)|\(userID)".utf8), key: key).prefix(Self.codeLength))
    }
}
