import AsyncHTTPClient
import Domain
import Foundation
import Logging
import Ports
import Product
import Services
import Storage

/// Checks an installation with valid settings, as a start of the programs does, and more. Like a start, it generates
/// secrets if the data folder has none, and writes a small object where pictures are kept, and in the bucket for backups,
/// which it deletes.
struct Doctor: Sendable {
    let settings: Settings
    let client: HTTPClient
    /// Discards what the checks log; the findings say it.
    let logger = Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }

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
        let notice = try await secrets.subaddressingNotice(in: stores.system)
        var findings = [Finding(.ok, "store", "\(kind) answers, is sound, and has the schema of this version.")]
        if let notice { findings.append(Finding(.fault, "settings", notice)) }
        findings.append(try await clock(stores))
        if let testMail = try await testMail(stores) { findings.append(testMail) }
        return findings + (try await processes(stores, hasAnswer: hasAnswer))
    }

    func clock(_ stores: Stores) async throws -> Finding {
        do {
            let check = ClockCheck(stores: stores, ownID: nil, clock: .system, logger: logger)
            try await check.requireNoDifference()
            if let newest = try await check.gap()?.newest {
                return Finding(
                    .advice, "clock",
                    ProgramCall.current.pasteable(
                        "It’s more than a day ahead of the newest time in the store, \(newest.formatted(.iso8601)). API or "
                            + "worker wait until it has been steady for ten minutes; until then no sprint closes and no "
                            + "job runs. If \(Date.now.formatted(.iso8601)) is right: HappinessAPI sprints confirm-clock"
                    ), .clockAhead)
            }
            return Finding(.ok, "clock", "It agrees with the others.", .clockOk)
        } catch let error as AppError where error == .clockDoubtful {
            return Finding(
                .fault, "clock",
                "It differs from the database’s or another process’s by more than two minutes. Set the clocks (NTP).",
                .clockDiffers)
        }
    }

    func processes(_ stores: Stores, hasAnswer: Bool?) async throws -> [Finding] {
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
                Finding(
                    .advice, "worker", "None is running: no mail, reminder or message goes out. Start it.", .noWorker)
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
                Finding(
                    .fault, kind.rawValue, "\(crashed) crashed within ten minutes of their start. See the log.",
                    .crashed))
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
                    ProgramCall.current.pasteable(
                        "\(dead) failed for good. `HappinessAPI jobs list --state dead` says why; `HappinessAPI jobs "
                            + "restart JOB` repeats one, and `HappinessAPI jobs restart --all` every one."),
                    .deadJobs, ["count": String(dead)]))
        }
        let waiting = try await JobService(stores: stores, clock: .system).waitingForSettings(by: .operator)
        if let error = waiting.first?.lastError {
            findings.append(
                Finding(
                    .fault, "jobs", "\(waiting.count) wait until a setting is corrected. The first one says: \(error)",
                    .jobsWaiting, ["count": String(waiting.count)]))
        }
        return findings
    }

    /// Seconds.
    private static let restartWindow: TimeInterval = 600
    /// One or two may have been killed by someone.
    private static let manyCrashes = 3
}
