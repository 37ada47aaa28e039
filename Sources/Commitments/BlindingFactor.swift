/// The blinding factor of a commitment: a number below the order of the curve P-256, in big-endian order 32 bytes.
package struct BlindingFactor: Hashable, Sendable {
    /// From the lowest to the highest 64 bits.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Bytes.
    package static let length = 32
    /// Of no ballots.
    package static let zero = BlindingFactor((0, 0, 0, 0))
    /// The order of the curve (SEC 2, §2.4.2).
    private static let order = BlindingFactor(
        (
            0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000
        ))

    private init(_ words: (UInt64, UInt64, UInt64, UInt64)) {
        self.words = words
    }

    /// Reads 32 bytes; `nil` for another length, and for a number that is not below the order.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        var words: [UInt64] = []
        var rest = bytes[...]
        for _ in 0..<4 {
            words.append(rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
            rest = rest.dropFirst(8)
        }
        self.init((words[3], words[2], words[1], words[0]))
        guard Self.subtract(Self.order, from: self).borrows else { return nil }
    }

    /// A new one, each equally likely.
    package static func random() -> BlindingFactor {
        var generator = SystemRandomNumberGenerator()
        while true {
            let randomness = BlindingFactor((generator.next(), generator.next(), generator.next(), generator.next()))
            if subtract(order, from: randomness).borrows { return randomness }
        }
    }

    /// 32 bytes.
    package var bytes: [UInt8] {
        [words.3, words.2, words.1, words.0].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }

    /// The sum, modulo the order.
    package static func + (first: BlindingFactor, second: BlindingFactor) -> BlindingFactor {
        var carry = false
        func add(_ one: UInt64, _ other: UInt64) -> UInt64 {
            let (sum, overflows) = one.addingReportingOverflow(other)
            let (result, overflowsAgain) = sum.addingReportingOverflow(carry ? 1 : 0)
            carry = overflows || overflowsAgain
            return result
        }
        let sum = BlindingFactor(
            (
                add(first.words.0, second.words.0), add(first.words.1, second.words.1),
                add(first.words.2, second.words.2), add(first.words.3, second.words.3)
            ))
        let (reduced, borrows) = subtract(order, from: sum)
        return carry || !borrows ? reduced : sum
    }

    package static func += (sum: inout BlindingFactor, other: BlindingFactor) {
        sum = sum + other
    }

    private static func subtract(_ other: BlindingFactor, from one: BlindingFactor) -> (
        difference: BlindingFactor, borrows: Bool
    ) {
        var borrow = false
        func subtract(_ one: UInt64, _ other: UInt64) -> UInt64 {
            let (difference, overflows) = one.subtractingReportingOverflow(other)
            let (result, overflowsAgain) = difference.subtractingReportingOverflow(borrow ? 1 : 0)
            borrow = overflows || overflowsAgain
            return result
        }
        let difference = BlindingFactor(
            (
                subtract(one.words.0, other.words.0), subtract(one.words.1, other.words.1),
                subtract(one.words.2, other.words.2), subtract(one.words.3, other.words.3)
            ))
        return (difference, borrow)
    }

    package static func == (first: BlindingFactor, second: BlindingFactor) -> Bool {
        first.words == second.words
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.3)
    }
}
