/// Who was seen as a member in a sprint, without a name: to notice later that somebody left, and for nothing else.
///
/// Marks are keyed hashes of `ExperimentSides`, another one for the same person in each sprint. They are removed with the
/// sprint's result.
public struct MemberMarks: Hashable, Sendable {
    /// The marks, without an order.
    public var values: Set<UInt64>

    /// These marks.
    public init(_ values: Set<UInt64> = []) {
        self.values = values
    }

    /// Reads what `bytes` gave.
    init(bytes: [UInt8]) {
        values = Set(
            stride(from: 0, to: bytes.count - 7, by: 8).map { start in
                bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
            })
    }

    /// As stores keep them: eight bytes each, in their order, so that nothing tells who came when.
    var bytes: [UInt8] {
        values.sorted().flatMap { value in
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
    }
}
