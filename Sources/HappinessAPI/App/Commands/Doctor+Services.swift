import Domain
import Foundation
import Logging
import Mail
import ObjectStorage
import OpenIDConnect
import Ports
import Product
import Services
import Storage

/// What the installation uses beside the store.
extension Doctor {
    /// Whose backups and pictures may be in folders and buckets. `nil` for a new installation, which has no secrets yet, and if
    /// the secrets are unusable, which is a fault of its own.
    private var mark: InstallationMark? {
        guard !settings.store.isNew else { return nil }
        do { return InstallationMark(secret: try Secrets.load(settings).ballot) } catch { return nil }
    }

    /// The folder of the daily backups, and the age of the last one.
    func backups() -> [Finding] {
        guard let backups = settings.backups else {
            return [noBackups]
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
            let last = try BackupFolder(backups).list().last?.day
            return [finding(lastBackup: last, in: folder)]
        } catch {
            return [Finding(.fault, "backups", OperatorMessage.text(for: error))]
        }
    }

    var noBackups: Finding { Finding(.advice, "backups", "The worker makes none. Set BACKUP_DIR.", .noBackups) }

    func finding(lastBackup day: CalendarDay?, in folder: String) -> Finding {
        guard let day else {
            return Finding(
                .advice, "backups", "There is none in \(folder) yet. The worker makes one every day.", .noBackupYet)
        }
        // Made at any time of the day.
        let yesterday = CalendarDay(instant: Date.now.addingTimeInterval(-86_400), in: .gmt)
        guard day >= yesterday else {
            return Finding(
                .fault, "backups",
                ProgramCall.current.pasteable(
                    "The last one is of \(day). `HappinessAPI jobs list` says why the worker makes none."),
                .backupOld, ["day": "\(day)"])
        }
        return Finding(.ok, "backups", "The last one is of \(day).", .backupOk, ["day": "\(day)"])
    }

    /// Fetches the document of each OpenID provider, and names those that are trusted with addresses.
    func signOn() async -> [Finding] {
        var findings: [Finding] = []
        for provider in settings.openID.providers {
            do {
                let client = SingleSignOnProvider(
                    provider, publicURL: settings.server.publicURL, clock: .system, logger: logger
                ).client
                _ = try await client.authorizationURL(for: AuthorizationRequest())
                findings.append(Finding(.ok, "log-in", "\(provider.id) answers.", .serviceOk, ["service": provider.id]))
            } catch {
                var reason = OperatorMessage.text(for: error)
                if case OpenIDError.unavailable(let words) = error { reason = words }
                findings.append(
                    Finding(
                        .fault, "log-in",
                        "\(provider.id) cannot be used: \(reason). Check its setting OIDC_…_ISSUER, the name server and the "
                            + "firewall.", .logInFails, ["service": provider.id]))
            }
        }
        return findings + settings.openID.warnings.map { Finding(.advice, "log-in", $0) }
    }

    /// Pictures, mail and push. The store has its own check.
    func services() async -> [Finding] {
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

    func finding(_ part: ServicePart) async -> Finding {
        let name = part.purpose == .objects ? "pictures" : part.purpose.rawValue
        guard let ask = part.ask else {
            return switch (part.purpose, part.driver) {
            case (.mail, _):
                Finding(
                    .advice, name,
                    "Mails are written to \(settings.dataDirectory)/outbox and not sent: see MAIL_DRIVER.",
                    .mailFolder)
            case (.push, "log"):
                Finding(.ok, name, "log: messages to services without a driver are only logged.", .pushLogged)
            default:
                Finding(
                    .ok, name, "\(part.driver): nothing to check.", .nothingToCheck, ["service": part.driver])
            }
        }
        do {
            try await ask()
            guard part.purpose == .mail, case .smtp(let smtp) = settings.mail.driver else {
                return Finding(.ok, name, "\(part.driver) answers.", .serviceOk, ["service": part.driver])
            }
            try await SMTPDriver(settings: smtp, deadline: .seconds(10)).check()
            return Finding(
                .ok, name, smtp.username == nil ? "\(part.driver) answers." : "\(part.driver) accepts the log-in.",
                .serviceOk, ["service": part.driver])
        } catch let error as MailError {
            let reason = JobError(error).message.trimmingPrefix(JobError.misconfiguredPrefix)
            return Finding(
                .fault, name,
                "\(part.driver) takes no mail: \(reason). Check SMTP_URL, SMTP_USERNAME, SMTP_PASSWORD, SMTP_TLS and "
                    + "SMTP_CA_FILE.", .mailFails, ["service": part.driver])
        } catch let error as ObjectStoreError {
            return Finding(.fault, name, OperatorMessage.text(for: error))
        } catch {
            return Finding(
                .fault, name,
                "\(part.driver) does not accept connections from here. Check its setting, the name server and the firewall.",
                .serviceFails, ["service": part.driver])
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
    func keyFiles() -> [Finding] {
        [
            (settings.push.fcm?.serviceAccountFile, "FCM_SERVICE_ACCOUNT_FILE"),
            (settings.push.apns?.keyFile, "APNS_KEY_FILE"),
        ].compactMap { path, key in
            guard let path, !FileManager.default.isReadableFile(atPath: path) else { return nil }
            return Finding(.fault, "push", "\(path) (\(key)) is missing, or this user may not read it.")
        }
    }
}
