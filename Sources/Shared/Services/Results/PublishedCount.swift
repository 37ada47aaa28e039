package import Commitments
package import Domain
import Storage

/// The count of a closed sprint in a form that anyone can check: the commitments to all published values, what opens
/// their sum, and the ballot papers with their signatures.
///
/// A commitment says nothing about its value. All of them together are one to the sum of the values, so nobody can
/// change, add or leave out a value without changing a commitment. A device that chose the randomness finds its own
/// commitment in the list.
package struct PublishedCount: Sendable {
    /// The sprint's result.
    package let publication: Publication
    /// In ascending order; as many as there are votes.
    package let commitments: [Commitment]
    /// Sum of the blinding factors.
    package let randomness: BlindingFactor
    /// The key that signed the papers; `nil` if the sprint has none.
    package let ballotKey: BallotKey?
    /// The papers with which the sealed ballots among them were cast, in ascending order of their hashes; `nil` if their
    /// number would single out someone.
    package let spentPapers: [SpentPaper]?
}

extension PublicationService {
    /// The count of a closed sprint. For callers that have checked membership.
    /// - Throws: `AppError.notFound`: `no-such-sprint`; `count-not-checkable` while the sprint is open, if nothing is
    ///   published, and if some ballots have no commitment, because they were cast before an upgrade or imported.
    package func count(of teamID: Team.ID, label: SprintLabel) async throws -> PublishedCount {
        let publication = try await publication(of: teamID, label: label)
        guard let randomness = publication.randomness, publication.isPublished else {
            throw AppError(
                .notFound, "The count can be checked once the sprint is over and has a result.",
                reason: .countNotCheckable)
        }
        let key = publication.sprint.key
        let commitments = try await ballots.commitments(of: key, publishedNumber: publication.publishedNumber)
        guard commitments.count == publication.votes else {
            throw AppError(
                .notFound, "This count can’t be checked: some votes are older than this feature, or were imported.",
                reason: .countNotCheckable)
        }
        let spentPapers =
            publication.sealed == nil
            ? nil : try await ballotKeys.spentPapers(of: key, publishedNumber: publication.publishedNumber)
        return PublishedCount(
            publication: publication, commitments: commitments, randomness: randomness,
            ballotKey: try await ballotKeys.key(of: key)?.key, spentPapers: spentPapers)
    }

    /// The count of a closed sprint, for anyone who has its address.
    /// - Throws: `AppError.notFound`: `no-such-count` for a wrong token, and likewise for an unknown team or sprint;
    ///   `count-not-checkable` as above.
    package func count(of teamID: Team.ID, label: SprintLabel, token: String) async throws -> PublishedCount {
        guard let record = try await store.read({ try $0.sprint(of: teamID, labelled: label) }),
            countToken(of: record.sprint.key).matches(token), try await store.team(teamID) != nil
        else { throw AppError.noSuchCount }
        return try await count(of: teamID, label: label)
    }

    /// What the address of a sprint's count ends with. For callers that have checked membership.
    package func countToken(of sprint: Sprint.Key) -> CountToken {
        CountToken(secret: secret, sprint: sprint)
    }
}

extension AppError {
    /// The address of a count is not one of this installation.
    package static let noSuchCount = AppError(
        .notFound, "There’s no count at this address.", reason: .noSuchCount)
}
