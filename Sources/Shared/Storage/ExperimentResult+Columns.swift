extension ExperimentResult {
    /// As both stores keep the case.
    var word: String {
        switch self {
        case .measured: "measured"
        case .withheld: "withheld"
        case .missed: "missed"
        }
    }

    /// The numbers there are beside the word: none unless measured.
    var counts: ExperimentCounts? {
        guard case .measured(let counts) = self else { return nil }
        return counts
    }

    /// Reads what `word` wrote.
    /// - Parameter numbers: of a measured one members and votes of A, then of B.
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

/// A stored result says nothing that this program understands: a fault, never a refusal.
struct UnreadableResult: Error {}
