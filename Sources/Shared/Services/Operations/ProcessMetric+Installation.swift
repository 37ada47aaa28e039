import Domain
import Foundation
package import Ports
package import Storage

extension ProcessMetric {
    /// What the process needs to work, for alerts, ordered by name.
    /// - Parameters:
    ///   - dataDirectory: `DATA_DIR`, whose disk must have room.
    ///   - backups: `BACKUP_DIR`; `nil` for none, and in processes that make none.
    package static func installation(
        system: any SystemStore, dataDirectory: String, backups: BackupFolder? = nil
    ) -> [ProcessMetric] {
        let backup = backups.map { folder in
            ProcessMetric(
                name: "backup_latest_timestamp_seconds", type: .gauge,
                help: "Start of the day of the latest backup since unix epoch in seconds; 0 if there is none.",
                value: latestDay(in: folder))
        }
        let room = freeBytes(of: dataDirectory).map { bytes in
            ProcessMetric(
                name: "data_directory_free_bytes", type: .gauge, help: "Room on the disk of DATA_DIR.", value: bytes)
        }
        let store = ProcessMetric(
            name: "store_writable", type: .gauge,
            help: "1 while the store takes writes, 0 since one failed or the store did not answer.",
            value: system.isWritable ? 1 : 0)
        return [backup, room, store].compactMap(\.self)
    }

    private static func latestDay(in folder: BackupFolder) -> Double {
        do {
            return try folder.list().last?.day.firstInstant(in: .gmt).timeIntervalSince1970 ?? 0
        } catch {
            // A folder that cannot be read has no backup to restore. `doctor` says why.
            return 0
        }
    }

    /// `nil` if the system does not say.
    private static func freeBytes(of folder: String) -> Double? {
        do {
            let values = try FileManager.default.attributesOfFileSystem(forPath: folder)
            return (values[.systemFreeSize] as? NSNumber)?.doubleValue
        } catch {
            // Omit the metric instead of reporting a wrong value.
            return nil
        }
    }
}
