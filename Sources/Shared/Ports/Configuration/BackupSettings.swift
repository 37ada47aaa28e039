package import Crypto
package import Domain

/// The daily backups that the worker makes.
package struct BackupSettings: Sendable {
    /// Where they are kept.
    package let folder: String
    /// Where the copies of pictures are kept, in `folder`.
    package var pictureFolder: String { "\(folder)/pictures" }
    /// Which of them are kept.
    package let rule: BackupRule
    /// Gets copies of them and of pictures, all encrypted; `nil` for none.
    package let bucket: S3Settings?
    /// They are encrypted to it; `nil` leaves them as they are.
    package let key: Curve25519.KeyAgreement.PublicKey?

    /// Takes validated values.
    package init(
        folder: String, rule: BackupRule = .standard, bucket: S3Settings? = nil,
        key: Curve25519.KeyAgreement.PublicKey? = nil
    ) {
        self.folder = folder
        self.bucket = bucket
        self.rule = rule
        self.key = key
    }

    /// `nil` without `BACKUP_DIR`: the worker makes no backups.
    /// - Parameter key: as `Settings.backupKey`.
    package init?(reader: SettingsReader, key: Curve25519.KeyAgreement.PublicKey?) {
        self.key = key
        // Read without a folder too, so that a mistake is reported now and not on the day it is set.
        rule = reader.parsed(default: .standard) { () throws(SettingsError) in
            guard let text = reader.optionalText("BACKUP_KEEP") else { return .standard }
            return try BackupRule(setting: text)
        }
        let folder = reader.optionalText("BACKUP_DIR")
        if let name = reader.optionalText("BACKUP_BUCKET") {
            bucket = S3Settings(reader: reader, bucketSetting: "BACKUP_BUCKET", isNeeded: true)
            if name == reader.optionalText("S3_BUCKET") {
                reader.refuse("BACKUP_BUCKET", expectation: "a bucket other than S3_BUCKET")
            }
            if folder == nil {
                reader.refuse("BACKUP_DIR", expectation: "set for BACKUP_BUCKET: backups are made there first")
            }
            if reader.optionalText("BACKUP_PUBLIC_KEY") == nil {
                reader.refuse(
                    "BACKUP_PUBLIC_KEY", expectation: "set for BACKUP_BUCKET: a bucket gets encrypted backups only")
            }
        } else {
            bucket = nil
        }
        guard let folder else { return nil }
        self.folder = folder
    }

    /// The keys of these settings.
    package static let keys: Set<String> = ["BACKUP_BUCKET", "BACKUP_DIR", "BACKUP_KEEP", "BACKUP_PUBLIC_KEY"]
}
