import Testing

/// How well an attacker who puts names to texts does, compared with somebody who guesses.
///
/// A guess is a random order of the texts. Whatever the number of texts in a round is, a random order has one text in its
/// right place on average, with a variance of one (fixed points of a random permutation). So the right answers of many
/// rounds have a known distribution, and a leak shows as a number that guessing does not reach.
struct Linking {
    /// Rounds that were attacked.
    private(set) var rounds = 0
    /// Texts that the attacker gave to the right person.
    private(set) var hits = 0
    /// Texts there were.
    private(set) var texts = 0

    /// Adds a round: the attacker says that the first text is the first person's, and so on.
    /// - Parameters:
    ///   - guess: the texts, in the order in which the attacker believes the people to be.
    ///   - truth: the texts, in the order of the people who wrote them.
    mutating func add(guess: [String], truth: [String]) {
        rounds += 1
        texts += truth.count
        hits += zip(guess, truth).count { $0 == $1 }
    }

    /// Five standard deviations above what guessing gets: a fair test fails once in millions of runs.
    var limit: Double { Double(rounds) + 5 * Double(rounds).squareRoot() }

    /// Fails unless the attacker did no better than somebody who guesses.
    func expectChance(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            Double(hits) <= limit, "linked \(hits) of \(texts) texts to their authors; guessing gets \(rounds)",
            sourceLocation: sourceLocation)
    }
}
