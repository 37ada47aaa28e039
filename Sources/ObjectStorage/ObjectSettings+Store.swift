public import AsyncHTTPClient
public import Logging
public import Shared

extension ObjectSettings {
    /// The store the settings choose. Nothing is asked of it here: that is what `ObjectStore.check` is for.
    /// - Parameters:
    ///   - client: for a bucket; belongs to the caller, who shuts it down. See `S3ObjectStore.clientConfiguration`.
    ///   - clock: what requests to a bucket are signed with.
    public func makeStore(client: HTTPClient, clock: WallClock = .system, logger: Logger) -> any ObjectStore {
        switch driver {
        case .file(let folder): FileObjectStore(folder: folder)
        case .s3(let settings): S3ObjectStore(settings: settings, client: client, clock: clock, logger: logger)
        }
    }
}
