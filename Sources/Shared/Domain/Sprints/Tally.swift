package import Commitments

/// The aggregate of ballots: the only stored form of the values.
package struct Tally: Hashable, Sendable {
    /// Number of ballots counted.
    package private(set) var count: Int
    /// Sum of the values, in tenths.
    package private(set) var sum: Int
    /// Number of ballots in each column 0...10 (`Happiness.column`); always eleven.
    package private(set) var distribution: [Int]
    /// Sum of the blinding factors of the ballots' commitments. With `sum` it opens the sum of the commitments.
    package private(set) var randomness: BlindingFactor

    /// A tally without ballots.
    package static let empty = Tally(count: 0, sum: 0, distribution: Array(repeating: 0, count: 11))

    /// Restores a stored tally.
    package init(count: Int, sum: Int, distribution: [Int], randomness: BlindingFactor = .zero) {
        self.count = count
        self.sum = sum
        self.distribution = distribution
        self.randomness = randomness
    }

    /// Counts one more value.
    package mutating func add(_ value: Happiness) {
        count += 1
        sum += value.tenths
        distribution[value.column] += 1
    }

    /// Adds the sum of the blinding factors of values that are counted.
    mutating func add(_ randomness: BlindingFactor) {
        self.randomness += randomness
    }

    /// Whether the lowest and the highest ballot are at least `columns` apart, whichever `unknown` of the ballots are
    /// removed.
    func isSpread(over columns: Int, without unknown: Int) -> Bool {
        // The closest ballots are neighbours in sorted order, so these are the only cases to check.
        (0...unknown).allSatisfy { lowest in
            let highest = lowest + count - unknown - 1
            guard highest > lowest, let low = column(ofBallot: lowest), let high = column(ofBallot: highest) else {
                return false
            }
            return high - low >= columns
        }
    }

    /// The column of a ballot, with ballots sorted by value.
    private func column(ofBallot index: Int) -> Int? {
        var before = 0
        return distribution.firstIndex { count in
            before += count
            return index < before
        }
    }

    /// sum / count on the scale 0...10, not rounded; `nil` while nothing is counted.
    package var happiness: Double? {
        // One division of two exact integers: the nearest Double to the true mean.
        count == 0 ? nil : Double(sum) / Double(count * 10)
    }
}
