import Foundation

/// Where objects are kept: the pictures of people.
public struct ObjectSettings: Sendable {
    /// The store, with what it needs.
    public enum Driver: Sendable {
        /// A folder of this machine, which API and worker both see.
        case file(folder: String)
        /// A bucket of S3 or of a store that speaks like it.
        case s3(S3Settings)
    }

    /// The store.
    public let driver: Driver

    /// Scheme, host and port of the links that browsers load objects by, as a Content-Security-Policy names them;
    /// `nil` where they load them from us.
    public var linkOrigin: String? {
        switch driver {
        case .file: nil
        case .s3(let settings): settings.linkOrigin
        }
    }

    init(reader: SettingsReader, dataDirectory: String) throws {
        let name = try reader.choice("OBJECT_STORE", default: DriverName.file)
        // Read in any case, so that a mistake is told now and not on the day the store is changed.
        let s3 = try S3Settings(reader: reader, isNeeded: name == .s3)
        switch name {
        case .file: driver = .file(folder: "\(dataDirectory)/objects")
        case .s3: driver = .s3(s3)
        }
    }

    static let keys: Set<String> = [
        "OBJECT_STORE", "S3_ENDPOINT", "S3_PUBLIC_ENDPOINT", "S3_REGION", "S3_BUCKET", "S3_ADDRESSING",
        "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "S3_SESSION_TOKEN",
    ]

    static let secretKeys: Set<String> = ["S3_SECRET_ACCESS_KEY", "S3_SESSION_TOKEN"]

    private enum DriverName: String, CaseIterable {
        case file
        case s3
    }
}
