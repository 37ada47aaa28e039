package import AsyncHTTPClient
package import Logging
package import Ports

extension ObjectSettings {
    /// Creates the store selected in the settings, without accessing it; `ObjectStore.check` does that.
    /// - Parameters:
    ///   - client: for a bucket; the caller shuts it down. See `S3ObjectStore.clientConfiguration`.
    ///   - clock: used to sign requests to a bucket.
    package func makeStore(client: HTTPClient, clock: WallClock = .system, logger: Logger) -> any ObjectStore {
        switch driver {
        case .file(let folder): FileObjectStore(folder: folder)
        case .s3(let settings): S3ObjectStore(settings: settings, client: client, clock: clock, logger: logger)
        }
    }
}

extension BackupSettings {
    /// The bucket for copies, without accessing it; `nil` without `BACKUP_BUCKET`.
    /// - Parameters:
    ///   - client: as for `ObjectSettings.makeStore`.
    ///   - timing: for objects as large as parts of backups, or shorter.
    package func makeBucketStore(
        client: HTTPClient, timing: S3Timing = .backups, logger: Logger
    ) -> (any ObjectStore)? {
        bucket.map { S3ObjectStore(settings: $0, client: client, timing: timing, logger: logger) }
    }

    /// Where pictures are copied to: a folder beside the backups, and the bucket if there is one.
    /// - Parameter client: as for `ObjectSettings.makeStore`.
    package func makePictureStores(client: HTTPClient, logger: Logger) -> [any ObjectStore] {
        [FileObjectStore(folder: pictureFolder)] + [makeBucketStore(client: client, logger: logger)].compactMap(\.self)
    }
}
