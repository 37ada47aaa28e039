package import Crypto
import Foundation

/// Codes that our mails carry so that a report about one of them can be believed: Mailgun's signature covers a time and
/// a token, but not the address in the report.
///
/// A code belongs to one address. A mail that is sent only to members who have not voted carries none: its bounce would
/// tell that its recipient had not voted.
package struct AddressCodes: Sendable {
    /// Bytes of a code: 128 bits cannot be guessed.
    private static let length = 16

    /// The name of Mailgun's variable that has the code, in a mail and in the reports about it.
    package static let variable = "address-code"

    private let key: SymmetricKey

    /// - Parameter secret: `JWT_SECRET`.
    package init(secret: SymmetricKey) {
        key = DerivedKey.addressCodes.make(from: secret)
    }

    /// The code of an address, ignoring case: 22 characters of base64url.
    package func code(of address: String) -> String { bytes(of: address).base64URL }

    /// Whether this server issued the code for this address.
    package func isValid(_ code: String, of address: String) -> Bool {
        guard let given = [UInt8](base64URL: code) else { return false }
        return SecureBytes.areEqual(given, bytes(of: address))
    }

    private func bytes(of address: String) -> [UInt8] {
        Array(SecureBytes.hmac(Data(EmailAddress.folded(address).utf8), key: key).prefix(Self.length))
    }
}
