import ServiceLifecycle
package import Storage

/// Keeps a process's texts in step with the store: one small read every few seconds, independent of requests. So no
/// request waits for it, and requests about ballots cannot be distinguished by it.
package struct TextFeed: Service {
    /// Time between two readings, which is the delay until other processes see a change.
    static let interval = Duration.seconds(3)

    private let catalog: TextCatalog
    private let store: any Store
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter clock: paces the readings.
    package init(catalog: TextCatalog, store: any Store, clock: any Clock<Duration> = ContinuousClock()) {
        self.catalog = catalog
        self.store = store
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Reads the customised texts if they have changed since the last time.
    /// - Throws: `StorageError.unavailable`; the current texts stay in use.
    package func refresh() async throws {
        let reading = catalog.beginReading()
        // Read before the texts: a change in between has another version and is read the next time.
        let version = try await store.read { try $0.textVersion() }
        guard !catalog.isShown(version, by: reading) else { return }
        catalog.show(try await store.read { try $0.ownTexts() }, version: version, of: reading)
    }

    /// Reads until the service shuts down.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await refresh()
                } catch {
                    // The store is unavailable. Requests report that; the texts stay unchanged, and the next reading
                    // follows soon.
                }
                do {
                    try await sleep(Self.interval)
                } catch {
                    return
                }
            }
        }
    }
}
