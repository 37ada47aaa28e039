public import ServiceLifecycle

/// Keeps a process's texts in step with the store: one small read every few seconds, whatever is asked for meanwhile. So
/// no request waits for it, and none about a ballot differs from another by it.
public struct TextFeed: Service {
    /// Time between two readings: how long a change takes to be seen in other processes.
    static let interval = Duration.seconds(3)

    private let catalog: TextCatalog
    private let store: any TextStore
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter clock: paces the readings.
    public init(catalog: TextCatalog, store: any TextStore, clock: any Clock<Duration> = ContinuousClock()) {
        self.catalog = catalog
        self.store = store
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Reads the own texts if they have changed since the last time.
    /// - Throws: `AppError.storeUnavailable`; what is shown stays.
    public func refresh() async throws {
        let reading = catalog.beginReading()
        // Before the texts: what is changed in between has another version, and is read the next time.
        let version = try await store.version()
        guard !catalog.isShown(version, by: reading) else { return }
        catalog.show(try await store.list(), version: version, of: reading)
    }

    /// Reads on until it is told to stop.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await refresh()
                } catch {
                    // The store is away. Requests say so; the texts stay as they are, and the next reading is near.
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
