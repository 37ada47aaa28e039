package import Domain

extension ExperimentResult {
    /// The stored name of the case in both stores.
    var word: String {
        switch self {
        case .measured: "measured"
        case .withheld: "withheld"
        case .missed: "missed"
        }
    }

    /// The counts stored next to the word: `nil` unless measured.
    package var counts: ExperimentCounts? {
        guard case .measured(let counts) = self else { return nil }
        return counts
    }

    /// Parses the result of `word`.
    /// - Parameter numbers: for a measured sprint members and votes of A, then of B.
    /// - Throws: `UnreadableResult` for anything else.
    init(word: String, numbers: [Int]) throws {
        switch (word, numbers.count) {
        case ("measured", 4):
            self = .measured(
                ExperimentCounts(
                    a: SideCounts(members: numbers[0], voted: numbers[1]),
                    b: SideCounts(members: numbers[2], voted: numbers[3])))
        case ("withheld", 0): self = .withheld
        case ("missed", 0): self = .missed
        default: throw UnreadableResult()
        }
    }
}

/// This program does not understand a stored result: an internal error, never a rejection.
struct UnreadableResult: Error {}
