import AsyncHTTPClient
import Foundation
import Logging
import Mail
import ObjectStorage
import OpenIDConnect
import Services

/// What `Doctor` found out about one part of the installation.
struct Finding: Sendable {
    enum State: String {
        case ok
        /// Works, but probably not as the operator wants.
        case advice
        /// Does not work.
        case fault
    }

    let state: State
    /// The part's name, one word.
    let part: String
    /// What was found, and what to do about it.
    let text: String

    init(_ state: State, _ part: String, _ text: String) {
        self.state = state
        self.part = part
        self.text = text
    }

    /// In columns. Further lines of the text are indented.
    var line: String {
        let start =
            state.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
            + part.padding(toLength: 10, withPad: " ", startingAt: 0)
        return start + text.replacing("\n", with: "\n" + String(repeating: " ", count: start.count))
    }
}

/// Checks an installation with valid settings, as a start of the programs does, and more. Like a start, it generates
/// secrets if the data folder has none, and writes a small object where pictures are kept, and in the bucket for backups,
/// which it deletes.
struct Doctor: Sendable {
    let settings: Settings
    let client: HTTPClient
    /// Discards what the checks log; the findings say it.
    private let logger = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }

    init(settings: Settings, client: HTTPClient) {
        self.settings = settings
        self.client = client
    }

    /// The findings, in the order in which an operator should read them.
    func findings() async -> [Finding] {
        let (port, hasAnswer) = await port()
        var findings = [Finding(.ok, "settings", "All are valid.")] + address() + [port].compactMap(\.self) + files()
        if settings.store.isNew {
            findings.append(noStore)
        } else {
            // Before this process creates files there.
            findings += owners()
            findings += await store(hasAnswer: hasAnswer)
        }
        return findings + backups() + disk() + (await services()) + (await signOn())
    }

    private var noStore: Finding {
        Finding(
            .advice, "store", "There is no store yet at \(settings.store.shown). The API creates it when it starts.")
    }

    private func address() -> [Finding] {
        guard let parts = URLComponents(string: settings.server.publicURL), let host = parts.host else { return [] }
        let isLocal = ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host)
        let server = settings.server
        guard !isLocal || server.socketPath != nil || ["localhost", "127.0.0.1", "::1"].contains(server.host) else {
            return [
                Finding(
                    .advice, "address",
                    "HOST is \(server.host), so other machines can connect, but PUBLIC_URL is \(server.publicURL): links in "
                        + "mails lead nowhere there. Set PUBLIC_URL to the address that people type.")
            ]
        }
        guard parts.scheme == "https" || isLocal else {
            return [
                Finding(
                    .advice, "address",
                    "PUBLIC_URL has no https: browsers then cannot seal votes, and passwords travel in the clear.")
            ]
        }
        guard parts.scheme != "https" || settings.server.trustedProxies > 0 else {
            return [
                Finding(
                    .advice, "address",
                    "PUBLIC_URL has https, so there is a proxy, but TRUSTED_PROXIES is 0: all people share its address."
                )
            ]
        }
        return [Finding(.ok, "address", settings.server.publicURL)]
    }

    /// Asks the API that these settings start. Without one, tries its port for a moment.
    /// - Returns: no finding if none answers and one could start; `hasAnswer` is `nil` if the system chooses the port.
    private func port() async -> (finding: Finding?, hasAnswer: Bool?) {
        let server = settings.server
        guard server.socketPath != nil || server.port != 0 else { return (nil, nil) }
        do {
            let version = try await HealthCommand.version(at: server)
            let place = server.socketPath ?? "port \(server.port)"
            return (Finding(.ok, "port", "Version \(version) answers on \(place)."), true)
        } catch {
            let silence = OperatorMessage.text(for: error)
            guard server.socketPath == nil else { return (nil, false) }
            do {
                try ListeningCheck.require(host: server.host, port: server.port, setting: "PORT")
                return (nil, false)
            } catch {
                return (Finding(.fault, "port", "\(silence) \(OperatorMessage.text(for: error))"), false)
            }
        }
    }

    /// The files of SQLite and the secrets must belong to the user as whom the programs run.
    private func owners() -> [Finding] {
        guard case .sqlite(let path) = settings.store else { return [] }
        let secrets = ["JWT_SECRET", "BALLOT_SECRET", "VAPID_PRIVATE_KEY"].map { "\(settings.dataDirectory)/\($0)" }
        let files = ["", "-wal", "-shm"].map { path + $0 } + secrets
        let owners = files.compactMap { file -> (file: String, id: UInt32)? in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard let id = attributes?[.ownerAccountID] as? NSNumber else { return nil }
            return (file: file, id: id.uint32Value)
        }
        guard let first = owners.first else { return [] }
        if let other = owners.first(where: { $0.id != first.id }) {
            return [
                Finding(
                    .fault, "owner",
                    "\(first.file) belongs to the user \(first.id), and \(other.file) to the user \(other.id). Give all "
                        + "to the user as whom API and worker run (chown).")
            ]
        }
        guard first.id != geteuid() else { return [] }
        return [
            Finding(
                geteuid() == 0 ? .advice : .fault, "owner",
                "\(first.file) belongs to the user \(first.id), and this command runs as \(geteuid()). Run API, worker "
                    + "and commands as the owner.")
        ]
    }

    private func files() -> [Finding] {
        let notices: [Finding]
        do {
            notices = try ServerFiles(.standard()).texts.notices.map { Finding(.advice, "texts", $0) }
        } catch {
            return [
                Finding(
                    .fault, "files",
                    "Templates and assets cannot be read: \(OperatorMessage.text(for: error)) Install the release again."
                )
            ]
        }
        guard FileManager.default.isExecutableFile(atPath: PictureProcess.toolBesideThisProgram) else {
            return [
                Finding(
                    .fault, "files",
                    "There is no PictureTool beside this program, so nobody can upload a picture. Install the release again."
                )
            ]
        }
        return [Finding(.ok, "files", "Templates, assets and PictureTool are there.")] + notices
    }

    /// - Parameter hasAnswer: whether an API answered; `nil` if none was asked.
    /// - Returns: the state of the store and of the processes that use it.
    private func store(hasAnswer: Bool?) async -> [Finding] {
        do {
            let secrets = try Secrets.load(settings)
            let stores = try settings.store.open()
            let findings: [Finding]
            do {
                findings = try await opened(stores, secrets: secrets, hasAnswer: hasAnswer)
            } catch {
                findings = [Finding(.fault, "store", OperatorMessage.text(for: error))]
            }
            try await stores.system.close()
            return findings
        } catch {
            return [Finding(.fault, "store", OperatorMessage.text(for: error))]
        }
    }

    private func opened(_ stores: Stores, secrets: Secrets, hasAnswer: Bool?) async throws -> [Finding] {
        guard try await stores.system.exists() else { return [noStore] }
        try await stores.system.requireKnownSchema()
        let kind = "\(stores.system.kind) \(try await stores.system.version())"
        guard try await stores.system.migrations().allSatisfy(\.isApplied) else {
            return [
                Finding(
                    .advice, "store",
                    "\(kind) answers. Its schema is older than this version: API and worker update it when they start.")
            ]
        }
        try await secrets.matchFingerprints(in: stores.system)
        try await stores.system.requireSound()
        return [Finding(.ok, "store", "\(kind) answers, is sound, and has the schema of this version.")]
            + [try await clock(stores)] + (try await processes(stores, hasAnswer: hasAnswer))
    }

    private func clock(_ stores: Stores) async throws -> Finding {
        do {
            let check = ClockCheck(stores: stores, ownID: nil, clock: .system, logger: logger)
            try await check.requireNoDifference()
            if let newest = try await check.gap()?.newest {
                return Finding(
                    .advice, "clock",
                    "It’s more than a day ahead of the newest time in the store, \(newest.formatted(.iso8601)). API or "
                        + "worker wait until it has been steady for ten minutes; until then no sprint closes and no job "
                        + "runs. If \(Date.now.formatted(.iso8601)) is right: HappinessAPI sprints confirm-clock")
            }
            return Finding(.ok, "clock", "It agrees with the others.")
        } catch let error as AppError where error == .clockDoubtful {
            return Finding(
                .fault, "clock",
                "It differs from the database’s or another process’s by more than two minutes. Set the clocks (NTP).")
        }
    }

    private func processes(_ stores: Stores, hasAnswer: Bool?) async throws -> [Finding] {
        let now = Date.now
        let alive = now.addingTimeInterval(-ProcessRecord.lifetime)
        let recent = now.addingTimeInterval(-Self.restartWindow)
        let all = try await stores.read {
            try $0.processes(since: recent, aliveSince: alive, maximumGone: ProcessRecord.maximumGone)
        }
        let records = all.filter { $0.isAlive(at: now) }
        var findings = ProcessRecord.Kind.allCases.map { kind in
            let count = records.count { $0.kind == kind }
            return switch (kind, count) {
            case (.worker, 0):
                Finding(.advice, "worker", "None is running: no mail, reminder or message goes out. Start it.")
            case (.api, 0): Finding(.advice, "api", "None is running.")
            default: Finding(.ok, kind.rawValue, count == 1 ? "One is running." : "\(count) are running.")
            }
        }
        for kind in ProcessRecord.Kind.allCases {
            // A process that stops removes its record, so these have crashed. For a minute they seem to live.
            var crashed = all.count { $0.kind == kind && !$0.isAlive(at: now) && $0.started > recent }
            if !settings.store.allowsSeveralProcesses { crashed += max(0, records.count { $0.kind == kind } - 1) }
            guard crashed >= Self.manyCrashes else { continue }
            findings.append(
                Finding(.fault, kind.rawValue, "\(crashed) crashed within ten minutes of their start. See the log."))
        }
        if hasAnswer == false, records.contains(where: { $0.kind == .api && $0.host == HostName.current }) {
            findings.append(
                Finding(
                    .fault, "api",
                    "One on this machine says in the store that it runs, but none answers at HOST and PORT. It may start "
                        + "again and again: see its log. Or it has other settings than this command."))
        }
        let dead = try await stores.jobs.count(state: .dead)
        if dead > 0 {
            findings.append(
                Finding(
                    .advice, "jobs",
                    "\(dead) failed for good. `HappinessAPI jobs list --state dead` says why, `jobs restart` repeats one, "
                        + "or with --all every one."))
        }
        let waiting = try await JobService(stores: stores, clock: .system).waitingForSettings(by: .operator)
        if let error = waiting.first?.lastError {
            findings.append(
                Finding(
                    .fault, "jobs", "\(waiting.count) wait until a setting is corrected. The first one says: \(error)"))
        }
        return findings
    }

    /// Seconds.
    private static let restartWindow: TimeInterval = 600
    /// One or two may have been killed by someone.
    private static let manyCrashes = 3

    /// Whose backups and pictures may be in folders and buckets. `nil` for a new installation, which has no secrets yet, and if
    /// the secrets are unusable, which is a fault of its own.
    private var mark: InstallationMark? {
        guard !settings.store.isNew else { return nil }
        do { return InstallationMark(secret: try Secrets.load(settings).ballot) } catch { return nil }
    }

    /// The folder of the daily backups, and the age of the last one.
    private func backups() -> [Finding] {
        guard let backups = settings.backups else {
            return [Finding(.advice, "backups", "The worker makes none. Set BACKUP_DIR.")]
        }
        let folder = backups.folder
        do {
            let parent = URL(filePath: folder).deletingLastPathComponent().path
            if !FileManager.default.fileExists(atPath: folder), FileManager.default.isWritableFile(atPath: parent) {
                return [Finding(.advice, "backups", "There is none yet: the worker creates \(folder) with the first.")]
            }
            try OperatorMessage.writing(to: folder, setting: "BACKUP_DIR") {
                let probe = URL(filePath: "\(folder)/.doctor-\(UUID().uuidString)")
                try Data().write(to: probe)
                try FileManager.default.removeItem(at: probe)
            }
            try mark?.requireOwn(folder: folder)
            guard let last = try BackupFolder(backups).list().last else {
                return [Finding(.advice, "backups", "There is none in \(folder) yet. The worker makes one every day.")]
            }
            // Made at any time of the day.
            let yesterday = CalendarDay(instant: Date.now.addingTimeInterval(-86_400), in: .gmt)
            guard last.day >= yesterday else {
                return [
                    Finding(
                        .fault, "backups",
                        "The last one is of \(last.day). `HappinessAPI jobs list` says why the worker makes none.")
                ]
            }
            return [Finding(.ok, "backups", "The last one is of \(last.day).")]
        } catch {
            return [Finding(.fault, "backups", OperatorMessage.text(for: error))]
        }
    }

    /// Fetches the document of each OpenID provider.
    private func signOn() async -> [Finding] {
        var findings: [Finding] = []
        for provider in settings.openID.providers {
            do {
                let client = SingleSignOnProvider(
                    provider, publicURL: settings.server.publicURL, clock: .system, logger: logger
                ).client
                _ = try await client.authorizationURL(for: AuthorizationRequest())
                findings.append(Finding(.ok, "log-in", "\(provider.id) answers."))
            } catch {
                var reason = OperatorMessage.text(for: error)
                if case OpenIDError.unavailable(let words) = error { reason = words }
                findings.append(
                    Finding(
                        .fault, "log-in",
                        "\(provider.id) cannot be used: \(reason). Check its setting OIDC_…_ISSUER, the name server and the "
                            + "firewall."))
            }
        }
        return findings
    }

    private func disk() -> [Finding] {
        let values = try? FileManager.default.attributesOfFileSystem(forPath: settings.dataDirectory)
        guard let free = (values?[.systemFreeSize] as? NSNumber)?.int64Value else { return [] }
        let shown = free.formatted(.byteCount(style: .file))
        return [
            free < 2_000_000_000
                ? Finding(
                    .advice, "disk", "Only \(shown) are free for \(settings.dataDirectory). Uploads may need 1.7 GB.")
                : Finding(.ok, "disk", "\(shown) are free for \(settings.dataDirectory).")
        ]
    }

    /// Pictures, mail and push. The store has its own check.
    private func services() async -> [Finding] {
        let objects = settings.objects.makeStore(client: client, logger: logger)
        var findings: [Finding] = []
        for part in ServicePart.all(settings, objects: objects) {
            var found = await finding(part)
            if part.purpose == .objects, found.state == .ok { found = await finding(pictures: objects) ?? found }
            findings.append(found)
        }
        if let bucket = settings.backups?.makeBucketStore(client: client, timing: S3Timing(), logger: logger) {
            findings.append(await finding(backups: bucket))
        }
        return findings + keyFiles()
    }

    private func finding(_ part: ServicePart) async -> Finding {
        let name = part.purpose == .objects ? "pictures" : part.purpose.rawValue
        guard let ask = part.ask else {
            return switch (part.purpose, part.driver) {
            case (.mail, _):
                Finding(
                    .advice, name,
                    "Mails are written to \(settings.dataDirectory)/outbox and not sent: see MAIL_DRIVER.")
            case (.push, "log"):
                Finding(.ok, name, "log: messages to services without a driver are only logged.")
            default: Finding(.ok, name, "\(part.driver): nothing to check.")
            }
        }
        do {
            try await ask()
            guard part.purpose == .mail, case .smtp(let smtp) = settings.mail.driver else {
                return Finding(.ok, name, "\(part.driver) answers.")
            }
            try await SMTPDriver(settings: smtp, deadline: .seconds(10)).check()
            return Finding(
                .ok, name, smtp.username == nil ? "\(part.driver) answers." : "\(part.driver) accepts the log-in.")
        } catch let error as MailError {
            let reason = JobError(error).message.trimmingPrefix(JobError.misconfiguredPrefix)
            return Finding(
                .fault, name,
                "\(part.driver) takes no mail: \(reason). Check SMTP_URL, SMTP_USERNAME, SMTP_PASSWORD, SMTP_TLS and "
                    + "SMTP_CA_FILE.")
        } catch let error as ObjectStoreError {
            return Finding(.fault, name, OperatorMessage.text(for: error))
        } catch {
            return Finding(
                .fault, name,
                "\(part.driver) does not accept connections from here. Check its setting, the name server and the firewall."
            )
        }
    }

    /// - Returns: `nil` if the store that answers is not another installation's.
    private func finding(pictures objects: any ObjectStore) async -> Finding? {
        do {
            try await mark?.requireOwn(pictures: objects)
            return nil
        } catch {
            return Finding(.fault, "pictures", OperatorMessage.text(for: error))
        }
    }

    private func finding(backups bucket: any ObjectStore) async -> Finding {
        do {
            try await bucket.check()
            try await mark?.requireOwn(bucket: bucket)
            return Finding(.ok, "backups", "The bucket for copies answers.")
        } catch {
            return Finding(.fault, "backups", OperatorMessage.text(for: error))
        }
    }

    /// The worker reads these files.
    private func keyFiles() -> [Finding] {
        [
            (settings.push.fcm?.serviceAccountFile, "FCM_SERVICE_ACCOUNT_FILE"),
            (settings.push.apns?.keyFile, "APNS_KEY_FILE"),
        ].compactMap { path, key in
            guard let path, !FileManager.default.isReadableFile(atPath: path) else { return nil }
            return Finding(.fault, "push", "\(path) (\(key)) is missing, or this user may not read it.")
        }
    }
}
