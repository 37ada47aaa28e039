/// Anonymous marks of the members seen in a sprint. They serve only to detect later that a member left.
///
/// Marks are keyed hashes from `ExperimentSides`, different for the same member in each sprint. They are removed when
/// the sprint's result is stored.
package struct MemberMarks: Hashable, Sendable {
    /// The marks, without an order.
    package var values: Set<UInt64>

    /// No marks by default.
    package init(_ values: Set<UInt64> = []) {
        self.values = values
    }

    /// Parses the result of `bytes`.
    package init(bytes: [UInt8]) {
        values = Set(
            stride(from: 0, to: bytes.count - 7, by: 8).map { start in
                bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
            })
    }

    /// The stored form: eight bytes each, sorted, so that the order of arrival is lost.
    package var bytes: [UInt8] {
        values.sorted().flatMap { value in
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }
}
