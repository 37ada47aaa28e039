import Foundation
import Shared

/// Removes the last signs of life of processes that ended otherwise than they should, a day after.
struct DeleteGoneProcesses: JobHandler {
    static let kind = "deleteGoneProcesses"

    let processes: any ProcessStore

    var kind: String { Self.kind }
    /// There are a handful.
    let deadline = Duration.seconds(60)

    func run(_ context: JobContext) async throws {
        try await processes.deleteUnseen(since: context.now.addingTimeInterval(-ProcessRecord.memory))
    }
}
