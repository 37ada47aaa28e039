import Domain
import Foundation
import Ports
import Storage
import TestSupport
import Testing

@testable import Services

/// The metrics of what a process needs.
@Suite struct InstallationMetricTests {
    @Test(arguments: StoreUnderTest.all)
    func `The metrics show store, disk and latest backup`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            try await TemporaryDirectory.with { directory in
                let folder = BackupFolder(BackupSettings(folder: directory.path("backups")))
                func values() -> [String: Double] {
                    let metrics = ProcessMetric.installation(
                        system: stores.system, dataDirectory: directory.url.path, backups: folder)
                    return Dictionary(uniqueKeysWithValues: metrics.map { ($0.name, $0.value) })
                }
                #expect(values()["store_writable"] == 1)
                let free = try #require(values()["data_directory_free_bytes"])
                #expect(free > 0)
                #expect(values()["backup_latest_timestamp_seconds"] == 0)
                try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
                for day in ["2026-11-20", "2026-11-21"] {
                    try Data().write(to: URL(filePath: "\(folder.path)/happiness-\(day).backup"))
                }
                // 2026-11-21T00:00:00Z
                #expect(values()["backup_latest_timestamp_seconds"] == 1_795_219_200)
            }
        }
    }

    @Test func `Without a backup folder, or a folder for data, there is no such metric`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let metrics = ProcessMetric.installation(system: stores.system, dataDirectory: "/nowhere/at/all")
            #expect(metrics.map(\.name) == ["store_writable"])
        }
    }

    @Test func `A heartbeat notices that the store is away`() async throws {
        let away = try StoreLocation.mongodb(
            uri: "mongodb://127.0.0.1:1/none?replicaSet=rs0&serverSelectionTimeoutMS=300"
        ).open()
        try await StoreUnderTest.sqlite.withStores { stores in
            let heartbeat = ProcessHeartbeat(
                .api, store: stores.rows, system: away.system, clock: .system, metrics: { [] },
                logger: CapturedLog().logger)
            #expect(await !heartbeat.beat(afterOutage: false))
        }
        let metrics = ProcessMetric.installation(system: away.system, dataDirectory: "/")
        #expect(metrics.first { $0.name == "store_writable" }?.value == 0)
        try await away.system.close()
    }
}
