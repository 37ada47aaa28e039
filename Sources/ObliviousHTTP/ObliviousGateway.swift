package import Crypto
import Foundation

/// The private key of a gateway: opens requests, and encrypts the answers (RFC 9458 §4.3, §4.4).
package struct ObliviousGateway<PrivateKey: HPKEDiffieHellmanPrivateKey & Sendable>: Sendable {
    /// What clients need.
    package let configuration: KeyConfiguration
    private let privateKey: PrivateKey

    /// - Parameter configuration: of the same key.
    package init(privateKey: PrivateKey, configuration: KeyConfiguration) {
        self.privateKey = privateKey
        self.configuration = configuration
    }

    /// Decrypts a request.
    /// - Returns: the request in Binary HTTP, and the key of its answer.
    /// - Throws: `ObliviousHTTPError`.
    package func open(
        _ message: some Collection<UInt8>
    ) throws(ObliviousHTTPError) -> (plain: [UInt8], answerKey: AnswerKey) {
        var reader = ByteReader(message)
        let header = configuration.header
        guard Array(try reader.bytes(header.count)) == header else { throw .wrongKey }
        let encapsulatedKey = Data(try reader.bytes(configuration.algorithms.publicKeyLength))
        do {
            var recipient = try HPKE.Recipient(
                privateKey: privateKey, ciphersuite: configuration.algorithms.ciphersuite,
                info: configuration.requestInfo, encapsulatedKey: encapsulatedKey)
            let plain = try recipient.open(Data(reader.remaining()))
            let secret = try recipient.exportSecret(context: AnswerKey.context, outputByteCount: AnswerKey.length)
            return (Array(plain), AnswerKey(secret: secret, encapsulatedKey: encapsulatedKey))
        } catch {
            throw .wrongKey
        }
    }
}

extension ObliviousGateway where PrivateKey == P256.KeyAgreement.PrivateKey {
    /// A gateway. The key's id follows from the public key, so that a new key has another id.
    package init(privateKey: PrivateKey) {
        let publicKey = Array(privateKey.publicKey.x963Representation)
        self.init(
            privateKey: privateKey,
            configuration: KeyConfiguration(
                id: Array(SHA256.hash(data: publicKey))[0], algorithms: .p256,
                publicKey: publicKey))
    }
}

extension AnswerKey {
    /// Encrypts an answer.
    /// - Throws: an error of the cryptography library.
    package func seal(_ message: [UInt8]) throws -> [UInt8] {
        try seal(message, nonce: SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) })
    }
}
