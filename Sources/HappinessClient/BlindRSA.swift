import BigInt
package import Crypto
package import CryptoExtras
package import Foundation

/// The client's half of RSABSSA-SHA384-PSS-Deterministic (RFC 9474 §5).
///
/// swift-crypto has it too, but keeps the blinding factor to itself. A device must store it, to get its paper after a
/// crash.
package struct BlindRSA {
    /// How a message was hidden.
    package struct Blinding: Codable, Hashable, Sendable {
        /// What the service signs.
        package let message: Data
        /// Removes the blinding factor from a signature; a number, big-endian.
        package let inverse: Data
    }

    private let verifier: _RSA.BlindSigning.PublicKey<SHA384>
    private let modulus: BigUInt
    private let exponent: BigUInt
    /// Bytes of the modulus, and of everything that is signed.
    private let length: Int

    /// - Parameter verifier: a key like ballot keys: the size of its modulus is a multiple of 8 bits.
    package init(_ verifier: _RSA.BlindSigning.PublicKey<SHA384>) throws {
        self.verifier = verifier
        let numbers = try verifier.getKeyPrimitives()
        modulus = BigUInt(numbers.modulus)
        exponent = BigUInt(numbers.publicExponent)
        length = verifier.keySizeInBits / 8
    }

    /// Blind (RFC 9474 §4.2).
    /// - Parameters:
    ///   - salt: 48 bytes.
    ///   - factor: big-endian, from 1 to the modulus - 1; a random one by default.
    package func blind(_ message: Data, salt: Data = .random(count: 48), factor: Data? = nil) throws -> Blinding {
        let factor = factor.map { BigUInt($0) } ?? randomFactor()
        let encoded = BigUInt(encoded(message, salt: salt))
        // A number that shares a divisor with the modulus would be recognised, blinded or not.
        guard encoded.greatestCommonDivisor(with: modulus) == 1, let inverse = factor.inverse(modulus) else {
            throw ClientError.keyDiffers(.notValid)
        }
        let hidden = encoded * factor.power(exponent, modulus: modulus) % modulus
        return Blinding(message: bytes(of: hidden), inverse: bytes(of: inverse))
    }

    /// Finalize (RFC 9474 §4.4).
    /// - Returns: the signature of `message`; `nil` if something else was signed, or with another key.
    package func unblind(_ blindSignature: Data, of message: Data, inverse: Data) -> Data? {
        guard blindSignature.count == length else { return nil }
        let signature = bytes(of: BigUInt(blindSignature) * BigUInt(inverse) % modulus)
        let isValid = verifier.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: verifier.prepare(message))
        return isValid ? signature : nil
    }

    private func randomFactor() -> BigUInt {
        while true {
            let number = BigUInt(Data.random(count: length))
            if number > 0, number < modulus { return number }
        }
    }

    /// EMSA-PSS-ENCODE (RFC 8017 §9.1.1).
    private func encoded(_ message: Data, salt: Data) -> Data {
        let digest = Data(SHA384.hash(data: Data(count: 8) + Data(SHA384.hash(data: message)) + salt))
        let block = Data(count: length - digest.count - salt.count - 2) + [1] + salt
        var masked = Data(zip(block, mask(of: digest, count: block.count)).map { $0 ^ $1 })
        // The encoded message has one bit less than the modulus.
        masked[0] &= 0x7f
        return masked + digest + [0xbc]
    }

    /// MGF1 (RFC 8017 §B.2.1).
    private func mask(of seed: Data, count: Int) -> Data {
        var mask = Data()
        var counter: UInt8 = 0
        while mask.count < count {
            mask += Data(SHA384.hash(data: seed + [0, 0, 0, counter]))
            counter += 1
        }
        return mask.prefix(count)
    }

    /// As long as the modulus, big-endian.
    private func bytes(of number: BigUInt) -> Data {
        let digits = number.serialize()
        return Data(count: length - digits.count) + digits
    }
}
