import Domain
import Services
import Storage

/// Deletes past absences, so that no one can read later when a member was away.
struct DeletePastAbsences: JobHandler {
    static let kind = "deletePastAbsences"

    let store: any Store

    var kind: String { Self.kind }
    /// A slow disk may need a while for a day's absences.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        try await store.write { try $0.deletePastAbsences(before: Absence.earliestToday(at: context.now)) }
    }
}
