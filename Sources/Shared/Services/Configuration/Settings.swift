import Configuration
package import Crypto
package import Domain
import Foundation
package import Logging
package import Ports
package import Storage

/// All settings of an installation, read once at start and validated before the server listens.
///
/// Values come from the environment, then from the file `.env` in the working directory, then from the defaults here.
/// `.env.example` lists every key; a test compares the two.
package struct Settings: Sendable {
    /// Where the API listens and how clients reach it.
    package let server: ServerSettings
    /// The store and its location.
    package let store: StoreLocation
    /// Folder of the SQLite file, the generated secrets and other local files.
    package let dataDirectory: String
    /// Login, passwords and tokens.
    package let accounts: AccountSettings
    /// The OpenID providers for login.
    package let openID: OpenIDSettings
    /// How mails are sent.
    package let mail: MailSettings
    /// How push messages reach devices.
    package let push: PushSettings
    /// Where pictures are stored.
    package let objects: ObjectSettings
    /// The daily backups; `nil` if the worker makes none.
    package let backups: BackupSettings?
    /// Backups are encrypted to it; `nil` leaves them as they are.
    package let backupKey: Curve25519.KeyAgreement.PublicKey?
    /// Days for which feedback is kept after the end of its sprint; `nil` for ever.
    package let feedbackDays: Int?
    /// Where traces and metrics are sent; `nil` if nowhere.
    package let telemetry: TelemetrySettings?
    /// The lowest level that is logged.
    package let logLevel: Logger.Level
    /// The form of the log's lines.
    package let logFormat: LogOutput.Format
    /// Port of the worker's metrics and health, 0 for none.
    package let workerMetricsPort: Int
    /// Secrets found in the settings; `Secrets.load` generates missing ones.
    let givenSecrets: Secrets.Given

    /// Reads environment and `.env`.
    /// - Throws: `SettingsError` naming the key and its valid values, `SettingsFileError` naming the lines of `.env` that
    ///   cannot be read, or an error of the file system.
    package static func load() async throws -> Settings {
        let file = EnvironmentVariablesProvider(
            environmentVariables: try SettingsFile.standard().values,
            secretsSpecifier: .dynamic { key, _ in isSecret(key) })
        let environment = EnvironmentVariablesProvider(secretsSpecifier: .dynamic { key, _ in isSecret(key) })
        return try Settings(reader: SettingsReader(ConfigReader(providers: [environment, file])))
    }

    /// For tests: reads the given values instead.
    /// - Throws: `SettingsError` naming the key and its valid values.
    package init(values: [String: String]) throws {
        let provider = EnvironmentVariablesProvider(environmentVariables: values)
        try self.init(reader: SettingsReader(ConfigReader(provider: provider)))
    }

    private init(reader: SettingsReader) throws {
        let dataDirectory = reader.text("DATA_DIR", default: "data")
        self.dataDirectory = dataDirectory
        server = ServerSettings(reader: reader)
        // Members may rely on it: an operator must decide to go on without.
        if reader.optionalText(Self.relayKey) != nil {
            reader.refuse(
                Self.relayKey,
                expectation: "removed: ballots no longer go through a relay, so tell those whom you promised one "
                    + "(docs/decisions/0041-ballots-go-straight-to-the-server.md)")
        }
        let standard = StoreLocation.sqlite(path: "\(dataDirectory)/happiness.sqlite")
        store = reader.parsed(default: standard) { () throws(SettingsError) in
            guard let text = reader.optionalText("DATABASE_URL", isSecret: true) else { return standard }
            return try StoreLocation(text)
        }
        accounts = AccountSettings(reader: reader)
        openID = OpenIDSettings(reader: reader)
        mail = try MailSettings(reader: reader, dataDirectory: dataDirectory, publicURL: server.publicURL)
        givenSecrets = Secrets.Given(reader: reader, mayGenerate: store.generatesSecrets)
        push = PushSettings(
            reader: reader, publicURL: server.publicURL, sender: mail.from,
            hasVAPIDKey: store.generatesSecrets || givenSecrets.vapid != nil)
        objects = ObjectSettings(reader: reader, dataDirectory: dataDirectory)
        backupKey = reader.parsed(default: nil) { () throws(SettingsError) in
            guard let text = reader.optionalText("BACKUP_PUBLIC_KEY") else { return nil }
            return try BackupKey.publicKey(setting: text)
        }
        backups = BackupSettings(reader: reader, key: backupKey)
        let days = reader.integer("FEEDBACK_DAYS", default: 0, in: 0...36_500)
        feedbackDays = days == 0 ? nil : days
        telemetry = TelemetrySettings(reader: reader)
        logLevel = reader.choice("LOG_LEVEL", default: Logger.Level.info)
        logFormat = reader.choice("LOG_FORMAT", default: LogOutput.Format.text)
        workerMetricsPort = reader.integer("WORKER_METRICS_PORT", default: 0, in: 0...65_535)
        try reader.requireNoProblem()
    }

    /// For commands that must not create a store: there is none where these settings say.
    package var missingStore: OperatorError {
        let isStandard = store == .sqlite(path: "\(dataDirectory)/happiness.sqlite")
        let place = isStandard ? "Is DATA_DIR right, and the folder with .env?" : "Is DATABASE_URL right?"
        return OperatorError(
            "There is no store at \(store.shown). \(place) API and worker create a new one when they start.")
    }

    /// All keys, as listed in `.env.example`.
    package static let keys = MailSettings.keys.union(OpenIDSettings.keys).union(PushSettings.keys)
        .union(ObjectSettings.keys).union(BackupSettings.keys).union(TelemetrySettings.keys).union([
            "HOST", "PORT", "METRICS_PORT", "PUBLIC_URL", "DATA_DIR", "DATABASE_URL", "LOG_LEVEL", "LOG_FORMAT",
            "JWT_SECRET", "BALLOT_SECRET", "BCRYPT_COST", "BCRYPT_THREADS", "CLASSIC_TOKEN_DAYS", "PASSWORD_POLICY",
            "FEEDBACK_DAYS", "WORKER_METRICS_PORT", "TRUSTED_PROXIES", "MAX_CONNECTIONS", "REGISTRATION_DOMAINS",
            "MAIL_SUBADDRESSING",
        ])

    /// A setting of version 0.1.0, which `init` rejects by itself.
    private static let relayKey = "BALLOT_RELAY_URL"

    /// Whether a key in `.env` is not a misspelled one.
    static func knows(_ key: String) -> Bool {
        keys.contains(key) || OpenIDSettings.isProviderKey(key) || key == relayKey
    }

    private static let secretKeys = MailSettings.secretKeys.union(PushSettings.secretKeys)
        .union(ObjectSettings.secretKeys).union(TelemetrySettings.secretKeys)
        .union(["JWT_SECRET", "BALLOT_SECRET", "DATABASE_URL"])

    private static func isSecret(_ key: String) -> Bool {
        secretKeys.contains(key) || OpenIDSettings.isSecret(key)
    }
}

/// Where the API listens and how clients reach it.
package struct ServerSettings: Sendable {
    /// Address to listen on, or the absolute path of a Unix socket. The default is this machine only: access from
    /// outside needs a proxy with TLS.
    package let host: String
    /// Port to listen on; 0 lets the system choose.
    package let port: Int
    /// Port of metrics on the same address, 0 for none.
    package let metricsPort: Int
    /// The public URL without a trailing slash; links are built from it, never from a request.
    package let publicURL: String
    /// Number of reverse proxies in front of this server whose entries in `X-Forwarded-For` are trusted.
    package let trustedProxies: Int
    /// Maximum number of concurrent connections; further ones wait to be accepted.
    package let maximumConnections: Int

    /// Bytes of a Unix socket's path (`sun_path`, unix(7)), without the terminating zero.
    private static let longestSocketPath = 107

    /// The path of the Unix socket to listen on; `nil` to listen on `host` and `port`.
    package var socketPath: String? { host.hasPrefix("/") ? host : nil }

    /// Where metrics are served: the same address, or with a Unix socket this machine only.
    package var metricsHost: String { socketPath == nil ? host : "127.0.0.1" }

    init(reader: SettingsReader) {
        host = reader.text("HOST", default: "127.0.0.1")
        port = reader.integer("PORT", default: 8080, in: 0...65_535)
        metricsPort = reader.integer("METRICS_PORT", default: 0, in: 0...65_535)
        publicURL = reader.baseURL(
            "PUBLIC_URL", default: "http://localhost:\(port)", path: .plain,
            example: "https://happiness.example.org or https://example.org/happiness")
        if metricsPort != 0, metricsPort == port, !host.hasPrefix("/") {
            reader.refuse("METRICS_PORT", expectation: "another port than PORT")
        }
        trustedProxies = reader.integer("TRUSTED_PROXIES", default: 0, in: 0...8)
        if host.hasPrefix("/") {
            if host.utf8.count > Self.longestSocketPath {
                reader.refuse("HOST", expectation: "a path of at most \(Self.longestSocketPath) bytes")
            }
            // Only a proxy connects to a socket, which has no client addresses and no port for links.
            if trustedProxies == 0 {
                reader.refuse("TRUSTED_PROXIES", expectation: "at least 1, because HOST is a Unix socket")
            }
            if reader.optionalText("PUBLIC_URL") == nil {
                reader.refuse("PUBLIC_URL", expectation: "the proxy's URL, because HOST is a Unix socket")
            }
        }
        maximumConnections = reader.integer("MAX_CONNECTIONS", default: 4_096, in: 16...65_536)
    }
}

/// Login, passwords and tokens.
package struct AccountSettings: Sendable {
    /// bcrypt's cost: each step doubles the work. 12 takes about 0.2 s.
    package let bcryptCost: Int
    /// Threads that hash passwords. One leaves a core for everything else on a small machine.
    package let bcryptThreads: Int
    /// The rules for new passwords.
    package let passwordPolicy: PasswordPolicy
    /// Days a token of the classic login is valid; its clients cannot refresh tokens.
    package let classicTokenDays: Int
    /// The mail domains that may register accounts.
    package let registrationDomains: RegistrationDomains
    /// Which addresses reach the same mailbox.
    package let subaddressing: Subaddressing

    init(reader: SettingsReader) {
        bcryptCost = reader.integer("BCRYPT_COST", default: 12, in: 4...16)
        bcryptThreads = reader.integer("BCRYPT_THREADS", default: 1, in: 1...32)
        passwordPolicy = reader.choice("PASSWORD_POLICY", default: PasswordPolicy.length)
        classicTokenDays = reader.integer("CLASSIC_TOKEN_DAYS", default: 30, in: 1...366)
        registrationDomains = reader.parsed(default: .none) { () throws(SettingsError) in
            try RegistrationDomains(setting: reader.text("REGISTRATION_DOMAINS", default: ""))
        }
        subaddressing = reader.parsed(default: .plus) { () throws(SettingsError) in
            try Subaddressing(setting: reader.text("MAIL_SUBADDRESSING", default: "+"))
        }
    }
}
