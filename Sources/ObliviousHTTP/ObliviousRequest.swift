import Crypto
import Foundation

/// A request that a client has encrypted for a gateway (RFC 9458 §4.3). A relay forwards it, and learns nothing of it but
/// its length.
package struct ObliviousRequest: Sendable {
    /// What is sent, as `message/ohttp-req`.
    package let message: [UInt8]
    /// Opens the answer.
    package let answerKey: AnswerKey

    /// The media type of requests.
    package static let mediaType = "message/ohttp-req"
    /// The media type of answers.
    package static let answerMediaType = "message/ohttp-res"
    /// The media type of key configurations.
    package static let keysMediaType = "application/ohttp-keys"

    /// Encrypts a message.
    /// - Parameter plain: in Binary HTTP.
    /// - Throws: `ObliviousHTTPError.malformed` for a public key that is none.
    package init(_ plain: [UInt8], for configuration: KeyConfiguration) throws(ObliviousHTTPError) {
        do {
            var sender =
                switch configuration.algorithms {
                case .p256:
                    try Self.sender(
                        P256.KeyAgreement.PublicKey(x963Representation: configuration.publicKey), configuration)
                default:
                    try Self.sender(
                        Curve25519.KeyAgreement.PublicKey(rawRepresentation: configuration.publicKey), configuration)
                }
            message = try configuration.header + sender.encapsulatedKey + sender.seal(Data(plain))
            answerKey = AnswerKey(
                secret: try sender.exportSecret(context: AnswerKey.context, outputByteCount: AnswerKey.length),
                encapsulatedKey: sender.encapsulatedKey)
        } catch {
            throw .malformed
        }
    }

    private static func sender(
        _ key: some HPKEDiffieHellmanPublicKey, _ configuration: KeyConfiguration
    ) throws -> HPKE.Sender {
        try HPKE.Sender(
            recipientKey: key, ciphersuite: configuration.algorithms.ciphersuite, info: configuration.requestInfo)
    }
}
