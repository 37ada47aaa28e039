import BigInt
import Crypto
import Foundation

/// Pedersen commitments on the curve P-256: `value·H + randomness·G`, with values in tenths. They add up like the values
/// and the randomness, and say nothing about a value.
///
/// swift-crypto multiplies the generator and checks points; what it does not have is the addition of two points.
enum PedersenCommitment {
    /// A point that is not at infinity, with numbers below ``prime``.
    private struct Point: Hashable {
        let x: BigUInt
        let y: BigUInt

        /// Reads a compressed point; `nil` if it is none.
        init?(compressed: Data) {
            guard let key = try? P256.KeyAgreement.PublicKey(compressedRepresentation: compressed) else { return nil }
            self.init(key)
        }

        init(_ key: P256.KeyAgreement.PublicKey) {
            // After one byte that names the format (SEC 1, §2.3.3).
            let numbers = Data(key.x963Representation.dropFirst())
            x = BigUInt(numbers.prefix(32))
            y = BigUInt(numbers.suffix(32))
        }

        init(x: BigUInt, y: BigUInt) {
            self.x = x
            self.y = y
        }
    }

    /// Coordinates are numbers modulo this one (SEC 2, §2.4.2).
    private static let prime: BigUInt =
        (BigUInt(1) << 256) - (BigUInt(1) << 224) + (BigUInt(1) << 192) + (BigUInt(1) << 96) - 1

    /// The first point with an even y whose x is SHA-256 of a text and a counter: nobody chose it for its logarithm.
    private static let h: Point? = (UInt8.min...UInt8.max).lazy.compactMap { counter in
        Point(compressed: Data([0x02]) + SHA256.hash(data: Data("Happiness Metric commitment".utf8) + [counter]))
    }.first

    /// New randomness: 32 bytes, a number above 0 and below the curve's order.
    static func newRandomness() -> Data { P256.KeyAgreement.PrivateKey().rawRepresentation }

    /// A commitment as 33 bytes.
    /// - Parameter value: in tenths, not negative.
    static func commit(to value: Int, randomness: Data) -> Data? {
        guard let sum = opened(value, randomness), let point = sum else { return nil }
        let x = point.x.serialize()
        return Data([point.y.isMultiple(of: 2) ? 0x02 : 0x03]) + Data(count: 32 - x.count) + x
    }

    /// Whether the sum of the commitments is one to `sum` with this randomness.
    static func areOpened(_ commitments: [Data], by sum: Int, randomness: Data) -> Bool {
        guard sum >= 0, let right = opened(sum, randomness) else { return false }
        var total: Point?
        for commitment in commitments {
            guard let point = Point(compressed: commitment) else { return false }
            total = add(total, point)
        }
        return total == right
    }

    /// - Returns: the point, in which `nil` is infinity; `nil` for randomness that is not valid.
    private static func opened(_ value: Int, _ randomness: Data) -> Point?? {
        var result: Point?
        if randomness != Data(count: 32) {
            guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: randomness) else { return .none }
            result = Point(key.publicKey)
        }
        var doubled = h
        var rest = value
        while rest > 0 {
            if !rest.isMultiple(of: 2) { result = add(result, doubled) }
            doubled = add(doubled, doubled)
            rest /= 2
        }
        return .some(result)
    }

    /// `nil` is infinity.
    private static func add(_ first: Point?, _ second: Point?) -> Point? {
        guard let first, let second else { return first ?? second }
        func minus(_ one: BigUInt, _ other: BigUInt) -> BigUInt { (one + prime - other) % prime }
        let rise: BigUInt
        let run: BigUInt
        if first.x != second.x {
            (rise, run) = (minus(second.y, first.y), minus(second.x, first.x))
        } else {
            guard first.y == second.y else { return nil }
            (rise, run) = (minus(3 * first.x * first.x % prime, 3), 2 * first.y % prime)
        }
        // A number that is not 0 has an inverse modulo a prime.
        guard let inverse = run.inverse(prime) else { return nil }
        let slope = rise * inverse % prime
        let x = minus(minus(slope * slope % prime, first.x), second.x)
        return Point(x: x, y: minus(slope * minus(first.x, x) % prime, first.y))
    }
}
