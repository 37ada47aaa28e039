import Foundation
public import Shared

extension UserStore {
    /// Deletes a user for tests in which no worker removes what is left: its job never becomes due.
    public func delete(id: User.ID) async throws {
        try await delete(id: id, enqueueing: Job(kind: "test.traces", runAt: .distantFuture))
    }
}
