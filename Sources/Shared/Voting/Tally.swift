/// The aggregate of ballots: all that is kept of the values.
public struct Tally: Hashable, Sendable {
    /// Ballots counted.
    public private(set) var count: Int
    /// Sum of the values, in tenths.
    public private(set) var sum: Int
    /// Ballots in each column 0...10 (`Happiness.column`); always eleven.
    public private(set) var distribution: [Int]

    /// Nothing counted yet.
    public static let empty = Tally(count: 0, sum: 0, distribution: Array(repeating: 0, count: 11))

    /// A tally as a store kept it.
    public init(count: Int, sum: Int, distribution: [Int]) {
        self.count = count
        self.sum = sum
        self.distribution = distribution
    }

    /// Counts one more value.
    public mutating func add(_ value: Happiness) {
        count += 1
        sum += value.tenths
        distribution[value.column] += 1
    }

    /// Whether the lowest and the highest ballot are at least `columns` apart, whichever `unknown` of the ballots one
    /// leaves out.
    func isSpread(over columns: Int, without unknown: Int) -> Bool {
        // Those that lie closest together are neighbours in their order, so these are all there is to try.
        (0...unknown).allSatisfy { lowest in
            let highest = lowest + count - unknown - 1
            guard highest > lowest, let low = column(ofBallot: lowest), let high = column(ofBallot: highest) else {
                return false
            }
            return high - low >= columns
        }
    }

    /// The column of a ballot, in the order of their values.
    private func column(ofBallot index: Int) -> Int? {
        var before = 0
        return distribution.firstIndex { count in
            before += count
            return index < before
        }
    }

    /// sum / count on the scale 0...10, not rounded; `nil` while nothing is counted.
    public var happiness: Double? {
        // One division of two exact integers: the nearest Double to the true mean.
        count == 0 ? nil : Double(sum) / Double(count * 10)
    }
}
