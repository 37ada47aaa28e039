import COpenSSL
import Crypto

/// A Pedersen commitment on the curve P-256 to the value of a ballot: `v·H + r·G`, with the value v in tenths, the
/// randomness r, the curve's generator G, and a point H of which nobody knows the logarithm.
///
/// It says nothing about the value, whatever computer looks at it: for every value there is exactly one randomness. And
/// nobody can find another value that fits, short of computing a logarithm on the curve. The sum of commitments is a
/// commitment to the sum of the values, with the sum of the randomness. (T. P. Pedersen, "Non-Interactive and
/// Information-Theoretic Secure Verifiable Secret Sharing", CRYPTO '91.)
package struct Commitment: Hashable, Sendable {
    /// A compressed point (SEC 1, §2.3.3): 33 bytes.
    package let bytes: [UInt8]

    /// Bytes.
    package static let length = 33

    /// Commits to a value, or to a sum of values.
    /// - Parameter value: in tenths; not negative.
    package init(to value: Int, with randomness: BlindingFactor) {
        let curve = Curve.shared
        let result = Point(on: curve)
        let number = Number(randomness.bytes)
        unsafe Curve.check(EC_POINT_mul(curve.group, result.pointer, number.pointer, nil, nil, nil))
        result.add(curve.multipleOfH(value))
        bytes = result.bytes
    }

    /// Wraps stored bytes.
    package init(stored bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether these commitments, added, are one to this sum.
    /// - Parameters:
    ///   - sum: of the values, in tenths.
    ///   - randomness: the sum of it.
    package static func areOpened(_ commitments: [Commitment], by sum: Int, randomness: BlindingFactor) -> Bool {
        let total = Point(on: Curve.shared)
        for commitment in commitments {
            guard let point = Point(commitment.bytes, on: Curve.shared) else { return false }
            total.add(point)
        }
        return total.bytes == Commitment(to: sum, with: randomness).bytes
    }
}

extension Commitment: Comparable {
    /// In the order of their bytes.
    package static func < (first: Commitment, second: Commitment) -> Bool {
        first.bytes.lexicographicallyPrecedes(second.bytes)
    }
}

/// The curve, with what is computed once. Threads may share it: OpenSSL only reads it afterwards (openssl-threads(7)).
@safe private final class Curve: @unchecked Sendable {
    static let shared = Curve()

    let group: OpaquePointer
    /// H times 0, 1 and so on up to the highest value of a ballot.
    private var multiples: [Point] = []

    private static let highestValue = 100

    private init() {
        guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
            preconditionFailure("OpenSSL has no P-256.")
        }
        unsafe self.group = group
        let zero = Point(on: self)
        unsafe Curve.check(EC_POINT_set_to_infinity(group, zero.pointer))
        multiples = [zero]
        let h = findH()
        for _ in 0..<Self.highestValue {
            let next = Point(on: self)
            next.add(multiples[multiples.count - 1])
            next.add(h)
            multiples.append(next)
        }
    }

    /// The first point with an even y whose x is SHA-256 of a text and a counter: nobody chose it for its logarithm.
    private func findH() -> Point {
        for counter in UInt8.min...UInt8.max {
            let x = SHA256.hash(data: Array("Happiness Metric commitment".utf8) + [counter])
            if let point = Point([0x02] + x, on: self) { return point }
        }
        preconditionFailure("Half of all numbers are the x of a point.")
    }

    func multipleOfH(_ value: Int) -> Point {
        precondition(value >= 0)
        if value < multiples.count { return multiples[value] }
        let result = Point(on: self)
        let number = Number((0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
        unsafe Curve.check(EC_POINT_mul(group, result.pointer, nil, multiples[1].pointer, number.pointer, nil))
        return result
    }

    /// - Parameter status: of OpenSSL: 1 is success. What is used here fails only without memory.
    static func check(_ status: Int32) {
        precondition(status == 1, "OpenSSL failed.")
    }
}

/// A point that OpenSSL keeps.
@safe private final class Point {
    let pointer: OpaquePointer
    private let curve: Curve

    /// At infinity.
    init(on curve: Curve) {
        guard let pointer = unsafe EC_POINT_new(curve.group) else { preconditionFailure("OpenSSL failed.") }
        unsafe self.pointer = pointer
        self.curve = curve
    }

    /// Reads a compressed point; `nil` if it is none.
    convenience init?(_ bytes: [UInt8], on curve: Curve) {
        self.init(on: curve)
        guard bytes.count == Commitment.length,
            unsafe EC_POINT_oct2point(curve.group, pointer, bytes, bytes.count, nil) == 1
        else {
            // Otherwise the next function of OpenSSL in this thread would seem to have failed.
            ERR_clear_error()
            return nil
        }
    }

    deinit { unsafe EC_POINT_free(pointer) }

    func add(_ other: Point) {
        unsafe Curve.check(EC_POINT_add(curve.group, pointer, pointer, other.pointer, nil))
    }

    /// Compressed; one zero for the point at infinity.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Commitment.length)
        let count = unsafe EC_POINT_point2oct(
            curve.group, pointer, POINT_CONVERSION_COMPRESSED, &bytes, bytes.count, nil)
        return Array(bytes.prefix(count))
    }
}

/// A number that OpenSSL keeps.
@safe private final class Number {
    let pointer: OpaquePointer

    /// - Parameter bytes: big-endian.
    init(_ bytes: [UInt8]) {
        guard let pointer = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil) else {
            preconditionFailure("OpenSSL failed.")
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe BN_clear_free(pointer) }
}
