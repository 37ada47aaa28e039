import Crypto
import Domain
import Foundation
import GRDB
import Mongo
import Ports
import Product
import Services
import TestSupport
import Testing

/// The stores of earlier versions, which are kept in `Stores`: a backup of each kind with demo data, and what that
/// version answered.
///
/// At a release, keep the one of its version, and commit the new folder:
///
///     KEEP_STORE=yes swift test --filter KeepStoreTests
@Suite struct UpgradeTests {
    /// A folder of `Stores` and a kind of store.
    struct Kept: CustomTestStringConvertible {
        let version: String
        let store: Installation.Store

        var backup: URL { Self.folder.appending(path: "\(version)/\(store.rawValue).backup") }
        /// The answers to `GET` by path.
        var answers: URL { Self.folder.appending(path: "\(version)/\(store.rawValue).json") }
        var testDescription: String { "\(version) on \(store)" }

        /// Runs `body` with an empty store and the secrets of all kept ones.
        func withInstallation(_ body: (Installation) async throws -> Void) async throws {
            try await Installation.with(store) { installation in
                // By default SQLite gets a new one. This one is the number 1.
                let secret = ["VAPID_PRIVATE_KEY": String(repeating: "A", count: 42) + "E"]
                try await body(
                    Installation(
                        directory: installation.directory, settings: installation.settings.merging(secret) { $1 }))
            }
        }

        static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Stores")

        static let all: [Kept] = {
            let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return versions.sorted().flatMap { version in
                Installation.Store.allCases.map { Kept(version: version, store: $0) }
            }
        }()
    }

    @Test func `Both kinds of store are kept of each version`() {
        #expect(!Kept.all.isEmpty)
        #expect(Kept.all.allSatisfy { FileManager.default.fileExists(atPath: $0.backup.path) })
    }

    @Test(arguments: Kept.all)
    func `An earlier version's store has kept everything, and people vote in it`(kept: Kept) async throws {
        try await kept.withInstallation { installation in
            // 0.1.0 kept no list of deletions, and there is no store to replace.
            let refused = try await installation.run(.api, "restore", kept.backup.path)
            #expect(refused.status == 1 && refused.log.contains("--without-deletions"), "\(refused.log)")
            let restored = try await installation.run(.api, "restore", "--without-deletions", kept.backup.path)
            #expect(restored.status == 0, "\(restored.log)")
            let lacksChecksum = kept.store == .sqlite && kept.version == "0.1.0"
            #expect(restored.log.contains("has no checksum") == lacksChecksum, "\(restored.log)")
            let migrated = try await installation.run(.api, "migrate", "--status")
            #expect(!migrated.output.contains("missing"), "\(migrated.output)")
            let password = "a password of the upgrade"
            let changed = try await installation.run(.api, "user", "set-password", "anna", input: "\(password)\n")
            #expect(changed.status == 0, "\(changed.log)")
            // It ends the sprint that was running.
            let worker = try await installation.run(.worker, "--once")
            #expect(worker.status == 0, "\(worker.log)")

            let (server, url) = try await installation.serve()
            let logIn = try await HTTPProbe.post(
                "\(url)/api/v1/auth/login", json: #"{"username":"anna","password":"\#(password)"}"#)
            let token = try #require(logIn.object["accessToken"] as? String, "\(logIn.text)")
            let expected = try JSONSerialization.jsonObject(with: Data(contentsOf: kept.answers))
            for (path, response) in try #require(expected as? [String: Any]) {
                let now = try await HTTPProbe.get("\(url)\(path)", token: token)
                #expect(now.status == 200, "\(path): \(now.text)")
                let lost = Self.lost(response, in: now.object, at: path)
                #expect(lost.isEmpty, "\(lost.prefix(10))")
            }
            let team = try #require(
                try await HTTPProbe.get("\(url)/api/v1/me", token: token).object["defaultTeam"] as? String)
            let sprint = try await HTTPProbe.get("\(url)/api/v1/teams/\(team)/sprints/current", token: token)
            let label = try #require((sprint.object["sprint"] as? [String: Any])?["label"] as? String)
            let vote = try await HTTPProbe.post(
                "\(url)/api/v1/teams/\(team)/sprints/\(label)/ballots", token: token, json: #"{"happiness":8}"#)
            #expect(vote.status == 201, "\(vote.text)")
            if let uri = installation.settings["DATABASE_URL"] {
                // The view is newer than version 0.1.0, and no backup has it.
                let shown = try await MongoClient(uri: uri).run { try $0.collection("happinessBySprint").find([:]) }
                let labels = shown.filter { $0["team"]?.stringValue == team }.compactMap { $0["sprint"]?.stringValue }
                let all = try await HTTPProbe.get("\(url)/api/v1/teams/\(team)/sprints", token: token)
                let sprints = try #require(all.object["sprints"] as? [[String: Any]])
                let published = sprints.filter { $0["publication"] is [String: Any] }
                    .compactMap { $0["label"] as? String }
                #expect(!labels.isEmpty && Set(labels) == Set(published))
            }
            server.terminate()
            try await server.untilEnd()
        }
    }

    @Test(arguments: Kept.all)
    func `An upgraded store has the schema of a new one`(kept: Kept) async throws {
        try await kept.withInstallation { upgraded in
            let restored = try await upgraded.run(.api, "restore", "--without-deletions", kept.backup.path)
            #expect(restored.status == 0, "\(restored.log)")
            let migrated = try await upgraded.run(.api, "migrate")
            #expect(migrated.status == 0, "\(migrated.log)")
            try await Installation.with(kept.store) { new in
                let made = try await new.run(.api, "team", "add", "Blue")
                #expect(made.status == 0, "\(made.log)")
                let expected = try await new.schema()
                #expect(expected.contains { $0.hasPrefix("happiness ") })
                #expect(try await upgraded.schema() == expected)
            }
        }
    }

    /// The places in an answer where the present one has less or something else. Later versions may say more.
    private static func lost(_ old: Any, in new: Any, at place: String) -> [String] {
        switch (old, new) {
        case (let old as [String: Any], let new as [String: Any]):
            old.flatMap { key, value in
                new[key].map { lost(value, in: $0, at: "\(place).\(key)") } ?? ["\(place).\(key)"]
            }
        case (let old as [Any], let new as [Any]):
            old.count == new.count
                ? zip(old, new).enumerated().flatMap { lost($1.0, in: $1.1, at: "\(place)[\($0)]") }
                : ["\(place): \(old.count) became \(new.count)"]
        default:
            (old as? NSObject) == (new as? NSObject) ? [] : ["\(place): \(old) became \(new)"]
        }
    }
}

extension Installation {
    /// A sorted line for each table, index and trigger of SQLite, or each collection, view and index of MongoDB, with
    /// all that defines it.
    fileprivate func schema() async throws -> [String] {
        guard let uri = settings["DATABASE_URL"] else {
            let queue = try DatabaseQueue(path: directory.path("data/happiness.sqlite"))
            let lines = try await queue.read { db in
                let line = "tbl_name || ' ' || type || ' ' || name || ' ' || ifnull(sql, '')"
                return try String.fetchAll(db, sql: "SELECT \(line) FROM sqlite_schema")
            }
            try queue.close()
            // Columns that a migration added are not in lines of their own, and renamed tables have quotes.
            return lines.map {
                $0.replacing("\"", with: "").replacing(#/\s*([(),])\s*/#) { $0.output.1 }.replacing(#/\s+/#, with: " ")
            }.sorted()
        }
        return try await MongoClient(uri: uri).run { database in
            func list(_ command: BSONDocument) throws -> [BSONDocument] {
                let cursor = try database.command(command)["cursor"]?.documentValue
                return cursor?["firstBatch"]?.arrayValue?.compactMap(\.documentValue) ?? []
            }
            func text(_ document: BSONDocument) -> String {
                document.map { field in
                    let nested = field.value.documentValue.map { "{\(text($0))}" }
                    return "\(field.key): \(nested ?? "\(field.value)")"
                }.joined(separator: ", ")
            }
            var lines: [String] = []
            for collection in try list(["listCollections": 1]) {
                guard let name = collection["name"]?.stringValue, !name.hasPrefix("system."),
                    // A backup has no heartbeats, and the first one creates their collection.
                    name != "processes"
                else { continue }
                let options = collection["options"]?.documentValue ?? [:]
                lines.append("\(name) \(collection["type"]?.stringValue ?? "") \(text(options))")
                guard collection["type"]?.stringValue == "collection" else { continue }
                lines += try list(["listIndexes": .string(name)]).map { "\(name) index \(text($0))" }
            }
            return lines.sorted()
        }
    }
}

/// Not a test: keeps the store of this version.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["KEEP_STORE"] == "yes")) struct KeepStoreTests {
    @Test(arguments: Installation.Store.allCases)
    func `Keep the store of this version`(store: Installation.Store) async throws {
        let kept = UpgradeTests.Kept(version: ProductVersion.current, store: store)
        try await kept.withInstallation { installation in
            // The same day for every version, so that the sprints in the answers are over.
            let clock = WallClock { Date(timeIntervalSince1970: 1_780_000_000) }
            try await installation.withStores { stores in
                let secret = BallotSecret(key: .init(data: Data(Installation.receiptSecret.utf8)))
                let hasher = try PasswordHasher(cost: PasswordHasher.costs.lowerBound)
                _ = try await DemoData.create(in: stores, hasher: hasher, secret: secret, clock: clock)
            }
            try FileManager.default.createDirectory(
                at: kept.backup.deletingLastPathComponent(), withIntermediateDirectories: true)
            try? FileManager.default.removeItem(at: kept.backup)
            // The program stores its fingerprints of the secrets before.
            let backup = try await installation.run(.api, "backup", kept.backup.path)
            #expect(backup.status == 0, "\(backup.log)")
            let password = "a password of the upgrade"
            _ = try await installation.run(.api, "user", "set-password", "anna", input: "\(password)\n")

            let (server, url) = try await installation.serve()
            let logIn = try await HTTPProbe.post(
                "\(url)/api/v1/auth/login", json: #"{"username":"anna","password":"\#(password)"}"#)
            let token = try #require(logIn.object["accessToken"] as? String, "\(logIn.text)")
            let team = try #require(
                try await HTTPProbe.get("\(url)/api/v1/me", token: token).object["defaultTeam"] as? String)
            var answers: [String: Any] = [:]
            for path in ["sprints?year=2025", "sprints/2025/20", "sprints/2026/10", "actions"] {
                let response = try await HTTPProbe.get("\(url)/api/v1/teams/\(team)/\(path)", token: token)
                #expect(response.status == 200, "\(path): \(response.text)")
                answers["/api/v1/teams/\(team)/\(path)"] = response.object
            }
            try JSONSerialization.data(withJSONObject: answers, options: [.prettyPrinted, .sortedKeys])
                .write(to: kept.answers)
            server.terminate()
            try await server.untilEnd()
        }
    }
}
