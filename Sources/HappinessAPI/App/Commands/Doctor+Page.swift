import Domain
import Foundation
import Ports
import Services
import Storage

/// The checks of the page about the installation's health. They write nothing, and leave out what a running API has
/// proved: its settings, files and port, and that the store has its schema.
extension Doctor {
    /// In the order of the page: what stops people first.
    /// - Parameters:
    ///   - stores: those of the running API.
    ///   - objects: where it keeps pictures.
    func checks(of stores: Stores, objects: any ObjectStore) -> [HealthService.Check] {
        let parts = ServicePart.all(settings, objects: objects)
        return [
            check("mail") { [try await mail(parts, stores: stores)] },
            check("backups") { [try await lastBackup(stores)] },
            check("address") { address() },
            check("worker") { try await workers(stores) },
            check("clock") { [try await clock(stores)] },
            check("store") { [try await store(stores)] },
            check("disk") { disk() },
            check("pictures") { await findings(parts, for: .objects) },
            check("push") { await findings(parts, for: .push) + keyFiles() },
            check("log-in") { await signOn() },
        ]
    }

    private func check(
        _ part: String, _ find: @escaping @Sendable () async throws -> [Finding]
    ) -> HealthService.Check {
        HealthService.Check(part: part) {
            do {
                return try await find()
            } catch {
                return [Finding(.fault, part, OperatorMessage.text(for: error))]
            }
        }
    }

    private func findings(_ parts: [ServicePart], for purpose: ServicePart.Purpose) async -> [Finding] {
        var findings: [Finding] = []
        for part in parts where part.purpose == purpose { findings.append(await finding(part)) }
        return findings
    }

    /// Whether mails are known to be taken: a server that answers may still refuse them.
    private func mail(_ parts: [ServicePart], stores: Stores) async throws -> Finding {
        let found = await findings(parts, for: .mail).first
        if let found, found.state == .fault || settings.mail.keepsMails { return found }
        return try await testMail(stores)
            ?? Finding(.advice, "mail", "It answers. No test mail has been sent.", .mailUntested)
    }

    /// What became of the latest test mail.
    /// - Returns: `nil` if none was sent within ninety days, or mails are not sent at all.
    func testMail(_ stores: Stores) async throws -> Finding? {
        guard !settings.mail.keepsMails, let job = try await stores.jobs.newest(kind: MailJobKind.test.rawValue) else {
            return nil
        }
        let day = CalendarDay(instant: job.runAt, in: .gmt)
        switch job.state {
        case .done:
            return Finding(
                .ok, "mail", "The test mail of \(day) was accepted.", .mailDelivered, ["day": "\(day)"])
        case .ready where job.lastError == nil, .leased where job.lastError == nil:
            return Finding(.advice, "mail", "A test mail is on its way.", .mailOnItsWay)
        case .ready, .leased, .dead:
            return Finding(
                .fault, "mail", "The last test mail was not accepted: `HappinessAPI jobs list` says why.", .mailRefused)
        }
    }

    /// The worker may be on another machine, so its job counts as well as the folder.
    private func lastBackup(_ stores: Stores) async throws -> Finding {
        guard let backups = settings.backups else { return noBackups }
        let job = try await stores.jobs.newest(kind: BackupFolder.jobKind)
        if let job, job.state == .dead || (job.state == .ready && job.lastError != nil) {
            return Finding(
                .fault, "backups", "The last one failed: `HappinessAPI jobs list` says why.", .backupFails)
        }
        var days = [job].compactMap(\.self).filter { $0.state == .done }
            .map { CalendarDay(instant: $0.runAt, in: .gmt) }
        do {
            days += try BackupFolder(backups).list().map(\.day)
        } catch {
            // The API may not read the folder of the worker.
        }
        return finding(lastBackup: days.max(), in: backups.folder)
    }

    private func workers(_ stores: Stores) async throws -> [Finding] {
        // This API runs.
        try await processes(stores, hasAnswer: true).filter { $0.part != "api" || $0.state != .ok }
    }

    private func store(_ stores: Stores) async throws -> Finding {
        try await stores.system.ping()
        let kind = "\(stores.system.kind) \(try await stores.system.version())"
        return Finding(.ok, "store", "\(kind) answers.", .serviceOk, ["service": kind])
    }
}
