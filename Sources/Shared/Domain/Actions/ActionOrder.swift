/// The order of a column in both stores. Each action has a rank, and one moved between two others gets a rank between
/// theirs, so that a move writes one action instead of its column.
package enum ActionOrder {
    /// Initial distance between neighbours: 20 moves to the same place halve it to zero.
    package static let step = 1 << 20

    /// The rank between two neighbours; `nil` for a neighbour means the end of the column.
    /// - Returns: `nil` if there is no room between them. Then the following action and all after it must first move on
    ///   by `step`, which is one statement, whatever their number.
    package static func rank(after lower: Int?, before upper: Int?) -> Int? {
        switch (lower, upper) {
        case (nil, nil): return 0
        case (nil, let upper?): return upper - step
        case (let lower?, nil): return lower + step
        case (let lower?, let upper?):
            guard upper - lower > 1 else { return nil }
            return lower + (upper - lower) / 2
        }
    }
}
