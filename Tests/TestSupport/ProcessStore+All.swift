package import Domain
import Foundation
package import Storage

extension ProcessStore {
    /// All records.
    package func listAll() async throws -> [ProcessRecord] {
        try await list(since: .distantPast, aliveSince: .distantFuture, maximumGone: 10_000)
    }
}
