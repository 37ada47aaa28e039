/// How both stores keep the order of a column: each action has a rank, and one that is put between two others gets a rank
/// between theirs, so that a move writes one action and not its column.
enum ActionOrder {
    /// Between neighbours at first: 20 moves to one and the same place halve it to nothing.
    static let step = 1 << 20

    /// The rank between two neighbours; `nil` for a neighbour stands for an end of the column.
    /// - Returns: `nil` if there is no room between them: then the one after it and all behind it move on by `step` first,
    ///   which is one statement, however many they are.
    static func rank(after lower: Int?, before upper: Int?) -> Int? {
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
