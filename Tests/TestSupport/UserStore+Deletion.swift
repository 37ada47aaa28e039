package import Domain
import Foundation
package import Storage

extension UserStore {
    /// Deletes a user without a picture, for tests in which no worker deletes the rest: its job never becomes due.
    package func delete(
        id: User.ID, ifAdmin admin: User.ID? = nil,
        enqueueing job: Job = Job(kind: "test.traces", runAt: .distantFuture)
    ) async throws {
        try await delete(id: id, ifPictureIs: nil, ifAdmin: admin, enqueueing: job)
    }
}
