import Crypto
import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// Where secrets come from; once set, they cannot be replaced.
@Suite struct SecretsTests {
    private static let good = String(repeating: "s", count: Secrets.minimumLength)
    private static let mongodb = "mongodb://127.0.0.1:1/x?replicaSet=rs0"

    @Test func `A short secret is refused by key and never repeated`() throws {
        for key in ["JWT_SECRET", "BALLOT_SECRET"] {
            let short = String(repeating: "q", count: Secrets.minimumLength - 1)
            var values = ["JWT_SECRET": Self.good, "BALLOT_SECRET": Self.good]
            values[key] = short
            let error = try #require(throws: SettingsError.self) { try Settings(values: values) }
            #expect(error.key == key)
            #expect(!error.description.contains("qqq"))
        }
    }

    @Test func `With MongoDB, both must be set`() throws {
        for key in ["JWT_SECRET", "BALLOT_SECRET"] {
            var values = ["JWT_SECRET": Self.good, "BALLOT_SECRET": Self.good, "DATABASE_URL": Self.mongodb]
            values[key] = nil
            let error = try #require(throws: SettingsError.self) { try Settings(values: values) }
            #expect(error.key == key)
        }
    }

    @Test func `With SQLite, missing ones are generated once, for the owner only`() async throws {
        try await TemporaryDirectory.with { directory in
            let folder = directory.path("data")
            let settings = try Settings(values: ["DATA_DIR": folder])
            let first = try Secrets.load(settings)
            let second = try Secrets.load(settings)
            #expect(first.jwt == second.jwt && first.ballot.key == second.ballot.key)
            #expect(first.jwt != first.ballot.key)
            #expect(first.vapid?.privateText == second.vapid?.privateText && first.vapid != nil)
            for name in ["JWT_SECRET", "BALLOT_SECRET", "VAPID_PRIVATE_KEY"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
        }
    }

    @Test func `Processes that start together generate the same secret`() async throws {
        try await TemporaryDirectory.with { directory in
            let settings = try Settings(values: ["DATA_DIR": directory.path("data")])
            let keys = try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { try Secrets.load(settings).ballot.key.withUnsafeBytes { Array($0) } }
                }
                return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
            }
            #expect(keys.count == 1)
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.path("data"))
            #expect(Set(files) == ["JWT_SECRET", "BALLOT_SECRET", "VAPID_PRIVATE_KEY"], "no draft is left behind")
        }
    }

    @Test func `A generated file that was cut short is refused`() async throws {
        try await TemporaryDirectory.with { directory in
            let settings = try Settings(values: ["DATA_DIR": directory.url.path])
            try "abc".write(toFile: directory.path("BALLOT_SECRET"), atomically: true, encoding: .utf8)
            let error = try #require(throws: SettingsError.self) { try Secrets.load(settings) }
            #expect(error.key == "BALLOT_SECRET")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Another rule for mailboxes than the API's is noticed`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let key = SymmetricKey(size: .bits256)
            func secrets(_ setting: String) throws -> Secrets {
                Secrets(jwt: key, ballot: BallotSecret(key: key, subaddressing: try Subaddressing(setting: setting)))
            }
            let own = try secrets("+,b.example:none,a.example:-")
            let other = try secrets("+,b.example:none")
            #expect(try await other.subaddressingNotice(in: stores.system) == nil, "no API has started")
            #expect(try await own.recordSubaddressing(in: stores.system) == nil)
            // The same in other words.
            let same = try secrets("a.example:-, B.example:none, c.example:+")
            #expect(try await same.subaddressingNotice(in: stores.system) == nil)
            let notice = try await other.subaddressingNotice(in: stores.system)
            #expect(notice?.hasPrefix("MAIL_SUBADDRESSING is another one") == true)
            #expect(try await own.subaddressingNotice(in: stores.system) == nil, "looking changes nothing")
            // The operator has corrected it: the API says so once, and then the others are compared with that.
            #expect(try await other.recordSubaddressing(in: stores.system) != nil)
            #expect(try await other.recordSubaddressing(in: stores.system) == nil)
            #expect(try await own.subaddressingNotice(in: stores.system) != nil)
            // It is no secret that a restore asks for.
            #expect(Secrets.ofSecrets(try await stores.system.fingerprints()).isEmpty)
        }
    }

    @Test func `A secret other than the store was used with is refused`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let own = Secrets(jwt: .init(size: .bits256), ballot: BallotSecret(key: .init(size: .bits256)))
            try await own.matchFingerprints(in: stores.system)
            try await own.matchFingerprints(in: stores.system)

            let otherBallot = Secrets(jwt: own.jwt, ballot: BallotSecret(key: .init(size: .bits256)))
            let ballotError = try await #require(throws: SettingsError.self) {
                try await otherBallot.matchFingerprints(in: stores.system)
            }
            #expect(ballotError.key == "BALLOT_SECRET")

            let otherToken = Secrets(jwt: .init(size: .bits256), ballot: own.ballot)
            let tokenError = try await #require(throws: SettingsError.self) {
                try await otherToken.matchFingerprints(in: stores.system)
            }
            #expect(tokenError.key == "JWT_SECRET")

            let other = Secrets(jwt: .init(size: .bits256), ballot: otherBallot.ballot, vapid: VAPIDKey())
            let error = try await #require(throws: SettingsError.self) {
                try await other.matchFingerprints(in: stores.system)
            }
            #expect(([error] + error.others).map(\.key) == ["BALLOT_SECRET", "JWT_SECRET"])
            #expect(try await stores.system.fingerprints().count == 2, "a refused key leaves no fingerprint")
        }
    }

    @Test func `Secrets are compared with those of a backup, and none is generated`() async throws {
        try await TemporaryDirectory.with { directory in
            let folder = directory.path("data")
            let used = try Settings(values: ["DATA_DIR": folder])
            let fingerprints = try await StoreUnderTest.sqlite.withStores { stores in
                try await Secrets.load(used).matchFingerprints(in: stores.system)
                return try await stores.system.fingerprints()
            }
            try Secrets.requireMatch(used, fingerprints)

            let lost = directory.path("lost")
            let without = try #require(throws: SettingsError.self) {
                try Secrets.requireMatch(Settings(values: ["DATA_DIR": lost]), fingerprints)
            }
            #expect(
                ([without] + without.others).map(\.key) == ["BALLOT_SECRET", "JWT_SECRET", "VAPID_PRIVATE_KEY"])
            #expect(!FileManager.default.fileExists(atPath: lost))

            let other = try #require(throws: SettingsError.self) {
                try Secrets.requireMatch(
                    Settings(values: ["DATA_DIR": folder, "BALLOT_SECRET": Self.good]), fingerprints)
            }
            #expect(([other] + other.others).map(\.key) == ["BALLOT_SECRET"])
            #expect(!other.description.contains("sss"))
        }
    }

    @Test func `On MongoDB, a backup's key for messages to browsers may be missing, and no other`() throws {
        let settings = try Settings(values: [
            "JWT_SECRET": Self.good, "BALLOT_SECRET": Self.good, "DATABASE_URL": Self.mongodb,
        ])
        try Secrets.requireMatch(settings, ["VAPID_PRIVATE_KEY": [1]])
        let error = try #require(throws: SettingsError.self) {
            try Secrets.requireMatch(settings, ["VAPID_PRIVATE_KEY": [1], "JWT_SECRET": [1]])
        }
        #expect(error.key == "JWT_SECRET" && error.others.isEmpty)
    }
}
