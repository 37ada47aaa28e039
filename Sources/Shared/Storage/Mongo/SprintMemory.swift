import Foundation

/// Open sprints as the last commit of this process left them, so that the next cast need not read them first.
///
/// Never more than a guess, for other processes count, close and raise thresholds too: whoever acts on it has the store
/// compare (`MongoBallotWriter`). Where guesses fail because somebody else writes to the sprint as well, they stop until
/// a read has shown that nobody else did in between.
struct SprintMemory: Sendable {
    private struct Guess: Sendable {
        let sprint: BallotDecision.OpenSprint
        let isReliable: Bool
    }

    /// More than the teams that vote within a minute; a sprint that was pushed out costs one read.
    private static let capacity = 4_096
    /// Seconds. Teams vote in bursts, and a sprint without a vote for so long is better read again: it may have ended,
    /// or the database may have been put back to a backup.
    private static let lifetime: TimeInterval = 60

    private let guesses = BoundedCache<Sprint.Key, Guess>(capacity: capacity)

    /// What these sprints are probably like; nil unless all of them are remembered and no doubt is cast on any.
    func sprints(_ keys: Set<Sprint.Key>, at now: Date) -> [Sprint.Key: BallotDecision.OpenSprint]? {
        var found: [Sprint.Key: BallotDecision.OpenSprint] = [:]
        for key in keys {
            guard let guess = guesses.value(for: key, at: now), guess.isReliable else { return nil }
            found[key] = guess.sprint
        }
        return found
    }

    /// Remembers sprints as a commit left them.
    func remember(_ changes: [BallotDecision.SprintChange], at now: Date) {
        for change in changes {
            let last = guesses.value(for: change.key, at: now)
            let sprint = BallotDecision.OpenSprint(
                policy: change.before.policy, threshold: change.before.threshold, state: change.after)
            // Whoever finds a sprint as they left it is the only one who writes to it; so is, as far as anybody knows,
            // who finds it for the first time.
            let isReliable = last.map { $0.sprint == change.before } ?? true
            keep(Guess(sprint: sprint, isReliable: isReliable), of: change.key, at: now)
        }
    }

    /// A guess was wrong, or was of no use: the sprints are read before the next one.
    func doubt(_ keys: Set<Sprint.Key>, at now: Date) {
        for key in keys {
            guard let guess = guesses.value(for: key, at: now) else { continue }
            keep(Guess(sprint: guess.sprint, isReliable: false), of: key, at: now)
        }
    }

    /// The sprint was closed.
    func forget(_ key: Sprint.Key) {
        guesses.remove(key)
    }

    private func keep(_ guess: Guess, of key: Sprint.Key, at now: Date) {
        guesses.store(
            guess, for: key, validity: now..<now.addingTimeInterval(Self.lifetime),
            unlessRemovedSince: guesses.removals(for: key))
    }
}
