import ArgumentParser
import Domain
import Storage

/// `BenchmarkSeed keys`: gives each running sprint the place of a ballot key, so that the worker creates none. Creating
/// thousands takes minutes, in which nothing else could be measured. Nobody can vote with what is stored here.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Gives each running sprint a ballot key that nobody can use.")

    private static let pageSize = 500
    /// Number of concurrent writes to the store.
    private static let width = 4

    private struct Made: Encodable {
        let keys: Int
    }

    func run() async throws {
        try await OpenStore.with { store in
            var count = 0
            var after: Sprint.Key?
            repeat {
                let page = try await store.stores.read { [after] rows in
                    try rows.unclearedSprints(after: after, limit: Self.pageSize)
                }
                try await add(to: page, in: store)
                count += page.count
                after = page.count < Self.pageSize ? nil : page.last
            } while after != nil
            try printJSON(Made(keys: count))
        }
    }

    private func add(to sprints: [Sprint.Key], in store: OpenStore) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, sprint) in sprints.enumerated() {
                if index >= Self.width { try await group.next() }
                group.addTask {
                    let key = BallotKey(sprint: sprint, publicKey: SecureBytes.random(count: 32))
                    _ = try await store.stores.ballotKeys.insert(StoredBallotKey(key: key, wrappedPrivateKey: nil))
                }
            }
            try await group.waitForAll()
        }
    }
}
