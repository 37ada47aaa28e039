/// Where objects are stored: the pictures of users.
package struct ObjectSettings: Sendable {
    /// The object store with its settings.
    package enum Driver: Sendable {
        /// A local folder, shared by API and worker.
        case file(folder: String)
        /// A bucket of S3 or of a compatible store.
        case s3(S3Settings)
    }

    /// The object store.
    package let driver: Driver

    /// Scheme, host and port of the links from which browsers load objects, in the form of a Content-Security-Policy;
    /// `nil` if they load them from us.
    package var linkOrigin: String? {
        switch driver {
        case .file: nil
        case .s3(let settings): settings.linkOrigin
        }
    }

    /// Reports invalid settings to the reader.
    package init(reader: SettingsReader, dataDirectory: String) {
        let name = reader.choice("OBJECT_STORE", default: DriverName.file)
        // Always read, so that a mistake is reported now and not on the day the store is changed.
        let s3 = S3Settings(reader: reader, bucketSetting: "S3_BUCKET", isNeeded: name == .s3)
        switch name {
        case .file: driver = .file(folder: "\(dataDirectory)/objects")
        case .s3: driver = .s3(s3)
        }
    }

    /// The keys of these settings.
    package static let keys: Set<String> = [
        "OBJECT_STORE", "S3_ENDPOINT", "S3_PUBLIC_ENDPOINT", "S3_REGION", "S3_BUCKET", "S3_ADDRESSING",
        "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "S3_SESSION_TOKEN",
    ]

    /// Those whose values are secret.
    package static let secretKeys: Set<String> = ["S3_SECRET_ACCESS_KEY", "S3_SESSION_TOKEN"]

    private enum DriverName: String, CaseIterable {
        case file
        case s3
    }
}
