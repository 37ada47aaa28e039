package import Crypto
package import Foundation

/// Data that a browser keeps for us but can neither read nor change: AES-256-GCM under a key derived from `JWT_SECRET`.
package struct SealedText: Sendable {
    /// The purpose of the data; text encrypted for one purpose cannot be decrypted for another.
    package enum Purpose: Sendable {
        /// A login at an OpenID provider in progress.
        case signOn
        /// A form kept until its sender logs in again.
        case keptForm
    }

    private let key: SymmetricKey

    /// - Parameter secret: `Secrets.jwt`.
    package init(secret: SymmetricKey, for purpose: Purpose) {
        key =
            switch purpose {
            case .signOn: DerivedKey.signOn.make(from: secret)
            case .keptForm: DerivedKey.keptForms.make(from: secret)
            }
    }

    /// base64url of nonce, ciphertext and tag; safe in a cookie.
    package func seal(_ data: Data) throws -> String {
        let nonce = AES.GCM.Nonce()
        let box = try AES.GCM.seal(data, using: key, nonce: nonce)
        return (Array(nonce) + box.ciphertext + box.tag).base64URL
    }

    /// `nil` for anything that `seal` has not created with this secret.
    package func open(_ text: String) -> Data? {
        guard let bytes = [UInt8](base64URL: text), let box = try? AES.GCM.SealedBox(combined: bytes) else {
            return nil
        }
        return try? AES.GCM.open(box, using: key)
    }
}
