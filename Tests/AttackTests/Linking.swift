import Testing

/// Compares an attacker who assigns texts to names with random guessing.
///
/// A guess is a random order of the texts. With any number of texts in a round, a random order has one text in its
/// right place on average, with a variance of one (fixed points of a random permutation). So the number of correct
/// answers over many rounds has a known distribution, and a leak shows as a number that guessing does not reach.
struct Linking {
    /// Number of rounds.
    private(set) var rounds = 0
    /// Number of texts assigned to the right person.
    private(set) var hits = 0
    /// Total number of texts.
    private(set) var texts = 0

    /// Adds a round in which the attacker assigns the first text to the first person, and so on.
    /// - Parameters:
    ///   - guess: the texts, in the order in which the attacker believes the people to be.
    ///   - truth: the texts, in the order of the people who wrote them.
    mutating func add(guess: [String], truth: [String]) {
        rounds += 1
        texts += truth.count
        hits += zip(guess, truth).count { $0 == $1 }
    }

    /// Five standard deviations above guessing: a fair test fails once in millions of runs.
    var limit: Double { Double(rounds) + 5 * Double(rounds).squareRoot() }

    /// Fails if the attacker did better than guessing.
    func expectChance(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            Double(hits) <= limit, "linked \(hits) of \(texts) texts to their authors; guessing gets \(rounds)",
            sourceLocation: sourceLocation)
    }
}
