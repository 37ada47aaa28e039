import Foundation

/// Open sprints as the last commit of this process left them, so that the next cast need not read them first.
///
/// They are only a guess, because other processes also count, close and raise thresholds: a transaction based on a
/// guess lets the store compare it (`MongoBallotWriter`). If guesses fail because another process writes to the sprint
/// too, guessing stops until a read has shown that no other process wrote in between.
struct SprintMemory: Sendable {
    private struct Guess: Sendable {
        let sprint: BallotDecision.OpenSprint
        let isReliable: Bool
    }

    /// More than the number of teams that vote within a minute; an evicted sprint costs one read.
    private static let capacity = 4_096
    /// Seconds. Teams vote in bursts. After this time without a vote a sprint is better read again: it may have ended,
    /// or the database may have been restored from a backup.
    private static let lifetime: TimeInterval = 60

    private let guesses = BoundedCache<Sprint.Key, Guess>(capacity: capacity)

    /// The probable state of these sprints; nil unless all of them are remembered and none is in doubt.
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
            // A process that finds a sprint as it left it is the sprint's only writer. The first time it sees a sprint,
            // it assumes the same.
            let isReliable = last.map { $0.sprint == change.before } ?? true
            keep(Guess(sprint: sprint, isReliable: isReliable), of: change.key, at: now)
        }
    }

    /// Records that a guess was wrong or useless: the sprints are read before the next one.
    func doubt(_ keys: Set<Sprint.Key>, at now: Date) {
        for key in keys {
            guard let guess = guesses.value(for: key, at: now) else { continue }
            keep(Guess(sprint: guess.sprint, isReliable: false), of: key, at: now)
        }
    }

    /// Removes a closed sprint.
    func forget(_ key: Sprint.Key) {
        guesses.remove(key)
    }

    private func keep(_ guess: Guess, of key: Sprint.Key, at now: Date) {
        guesses.store(
            guess, for: key, validity: now..<now.addingTimeInterval(Self.lifetime),
            unlessRemovedSince: guesses.removals(for: key))
    }
}
