import Crypto
package import Foundation

/// The public half of the RSA key with which the server blind-signs the ballot papers of one sprint.
///
/// Each sprint has one, for all its voters. With a key of their own, a voter's ballot could be recognised, so a client
/// compares what it gets with and without a login.
package struct BallotKey: Hashable, Sendable {
    /// SHA-256 of `publicKey`, written as 64 hexadecimal digits.
    package struct ID: Hashable, Sendable, LosslessStringConvertible {
        /// 32 bytes.
        package let bytes: [UInt8]

        /// - Returns: `nil` unless there are 32 bytes.
        package init?(bytes: [UInt8]) {
            guard bytes.count == 32 else { return nil }
            self.bytes = bytes
        }

        fileprivate init(of publicKey: [UInt8]) {
            bytes = SecureBytes.sha256(publicKey)
        }

        /// Parses the result of `description`.
        package init?(_ description: String) {
            guard let bytes = [UInt8](hexadecimal: description) else { return nil }
            self.init(bytes: bytes)
        }

        package var description: String { bytes.hexadecimal }
    }

    package let id: ID
    /// It signs the papers of this sprint.
    package let sprint: Sprint.Key
    /// SubjectPublicKeyInfo in DER (RFC 5280 §4.1).
    package let publicKey: [UInt8]

    /// The id follows from the public key.
    package init(sprint: Sprint.Key, publicKey: [UInt8]) {
        id = ID(of: publicKey)
        self.sprint = sprint
        self.publicKey = publicKey
    }

    /// Bits of the modulus.
    package static let size = 2_048
    /// Bytes of a signature, a blinded message, and its signature.
    package static let signatureLength = size / 8
}

extension BallotSecret {
    /// Encrypts the private half of a ballot key: nonce, ciphertext and tag of AES-256-GCM.
    /// - Throws: an error of the cryptography library.
    package func wrap(_ privateKey: Data, of key: BallotKey) throws -> [UInt8] {
        let nonce = AES.GCM.Nonce()
        let box = try AES.GCM.seal(privateKey, using: wrappingKey, nonce: nonce, authenticating: key.id.bytes)
        return Array(nonce) + box.ciphertext + box.tag
    }

    /// The private half; `nil` if it belongs to another key or was encrypted with another secret.
    package func unwrap(_ wrapped: [UInt8], of key: BallotKey) -> Data? {
        // `nil` covers every possible error.
        guard let box = try? AES.GCM.SealedBox(combined: wrapped) else { return nil }
        return try? AES.GCM.open(box, using: wrappingKey, authenticating: key.id.bytes)
    }
}

/// A ballot key as a store keeps it.
package struct StoredBallotKey: Hashable, Sendable {
    package let key: BallotKey
    /// The private key, encrypted by `BallotSecret`; `nil` once the sprint is closed, when it is destroyed.
    package let wrappedPrivateKey: [UInt8]?

    /// Combines both halves.
    package init(key: BallotKey, wrappedPrivateKey: [UInt8]?) {
        self.key = key
        self.wrappedPrivateKey = wrappedPrivateKey
    }
}

/// The right to cast one ballot: random bytes that the voter's device made and the server has signed without seeing
/// them (RFC 9474).
package struct BallotPaper: Hashable, Sendable {
    /// In bytes. Nobody can guess so many, which the deterministic variant requires (RFC 9474 §6.3.1).
    package static let length = 32

    package let bytes: [UInt8]

    /// - Returns: `nil` unless it has the right length.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }
}

/// A ballot paper with its signature, which anyone can check with the ballot key.
///
/// The server has never seen the two before the ballot came: it signed a blinded message, and each signature fits each
/// blinded message equally well.
package struct SignedPaper: Hashable, Sendable {
    package let paper: BallotPaper
    /// RSASSA-PSS with SHA-384 over the paper; `BallotKey.signatureLength` bytes.
    package let signature: [UInt8]

    /// Takes a signature that someone else has checked.
    package init(_ paper: BallotPaper, signature: [UInt8]) {
        self.paper = paper
        self.signature = signature
    }
}

/// A ballot paper that has been used: `SHA-256(key id | paper)`, in `spentPapers`.
///
/// Two with the same hash are equal: a paper counts once, also if its owner has two signatures of it.
package struct SpentPaper: Hashable, Sendable {
    package let sprint: Sprint.Key
    /// 32 bytes.
    package let hash: [UInt8]
    /// What the count shows of it after the sprint; `nil` if version 0.1.0 has stored it.
    package let signed: SignedPaper?

    /// A paper that is spent under a key.
    package init(_ signed: SignedPaper, key: BallotKey) {
        self.init(stored: SecureBytes.sha256(key.id.bytes + signed.paper.bytes), signed: signed, sprint: key.sprint)
    }

    /// As a store keeps it.
    package init(stored hash: [UInt8], signed: SignedPaper?, sprint: Sprint.Key) {
        self.sprint = sprint
        self.hash = hash
        self.signed = signed
    }

    package static func == (left: SpentPaper, right: SpentPaper) -> Bool {
        left.sprint == right.sprint && left.hash == right.hash
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(sprint)
        hasher.combine(hash)
    }
}

/// A request for a ballot paper, on its way to the store.
package struct PaperRequest: Hashable, Sendable {
    /// The member who asks. They cannot vote in another way afterwards.
    package let voter: Ballot.Voter
    /// A keyed hash of the blinded message: the same request again gets the same answer, another one none. 32 bytes.
    package let mark: [UInt8]

    /// - Parameter blindedMessage: the device's paper, blinded. The server cannot tell from it which paper it is.
    package init(voter: Ballot.Voter, blindedMessage: [UInt8], secret: BallotSecret) {
        self.voter = voter
        mark = SecureBytes.hmac(Data("paper|".utf8) + blindedMessage, key: secret.key)
    }
}
