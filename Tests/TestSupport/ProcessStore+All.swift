import Foundation
public import Shared

extension ProcessStore {
    /// All records.
    public func listAll() async throws -> [ProcessRecord] {
        try await list(since: .distantPast, aliveSince: .distantFuture, maximumGone: 10_000)
    }
}
