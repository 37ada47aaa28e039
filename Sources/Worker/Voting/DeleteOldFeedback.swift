import Foundation
import Services
import Storage

/// Deletes the feedback of sprints that ended a while ago, if the operator has limited how long it is kept.
struct DeleteOldFeedback: JobHandler {
    static let kind = "deleteOldFeedback"

    let ballots: any BallotStore
    /// For which feedback is kept after the end of its sprint; `nil` for ever.
    let days: Int?

    var kind: String { Self.kind }
    /// When the setting is new, the feedback of years is deleted.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        guard let days else { return }
        try await ballots.deleteFeedback(ofSprintsEndedBefore: context.now - TimeInterval(days) * 86_400)
    }
}
