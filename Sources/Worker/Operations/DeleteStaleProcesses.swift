import Domain
import Foundation
import Services
import Storage

/// Deletes the records of processes that ended unexpectedly, after a day.
struct DeleteStaleProcesses: JobHandler {
    static let kind = "deleteGoneProcesses"

    let store: any Store

    var kind: String { Self.kind }
    /// There are only a handful.
    let deadline = Duration.seconds(60)

    func run(_ context: JobContext) async throws {
        try await store.write {
            try $0.deleteProcesses(unseenSince: context.now.addingTimeInterval(-ProcessRecord.memory))
        }
    }
}
