import Domain
import Foundation
import Logging
import Ports
import Push
import ServiceLifecycle
import Services
import Storage
import Telemetry
import UnixSignals

/// Dependencies of the worker; tests pass in their own.
struct WorkerEnvironment: Sendable {
    let stores: Stores
    let secrets: Secrets
    /// The store of the pictures.
    let objects: any ObjectStore
    let mails: MailSender
    /// The texts of reminders, and those of pages that are also in mails.
    let texts: TextCatalog
    let push: PushSender
    let clock: WallClock
    /// `nil` if this worker makes no backups.
    var backups: MakeBackup?
    /// `Settings.feedbackDays`
    var feedbackDays: Int?
    /// Whether sprints start and end only after the clock was compared with other clocks; false in tests that set the
    /// clock.
    var checksClock = true
    /// Metrics of the jobs.
    var metrics = PrometheusMetrics(help: JobProcessor.metricsHelp)
    /// Exports these metrics and a span for each attempt; `nil` if nothing is exported.
    var exporter: TelemetryExporter?
    /// The address on which metrics and health are served.
    let host: String
    /// Port of metrics and health, 0 for none.
    let metricsPort: Int
    let logger: Logger
}

/// When the worker stops.
enum WorkerMode: Sendable, Equatable {
    /// When the process gets a signal to stop.
    case forever
    /// When no job is due any more; `at` is the time to use instead of now.
    /// - `closesSprints`: whether to start and end sprints by that time.
    case once(at: Date?, closesSprints: Bool = false)
}

/// Builds the worker. All wiring happens here.
func buildWorker(_ environment: WorkerEnvironment, mode: WorkerMode) -> ServiceGroup {
    let stores = environment.stores
    let heartbeatID = ProcessRecord.ID.random()
    let check = ClockCheck(
        stores: stores, ownID: heartbeatID, clock: environment.clock, logger: environment.logger)
    let timing: SprintTiming =
        switch mode {
        case .once(.some, let closesSprints): closesSprints ? .trusted : .frozen
        case .once(nil, _), .forever: environment.checksClock ? .checked(check) : .trusted
        }
    // With a chosen time, the operator has decided about everything except sprints.
    let scheduleTiming: SprintTiming = if case .once(.some, _) = mode { .trusted } else { timing }
    let processor = JobProcessor(
        jobs: stores.jobs,
        handlers: [
            CloseSprints(
                store: stores.rows,
                closing: SprintClosing(stores: stores, secret: environment.secrets.ballot), timing: timing),
            CreateBallotKeys(
                stores: stores,
                keys: BallotKeyService(
                    store: stores.ballotKeys, secret: environment.secrets.ballot, clock: environment.clock,
                    logger: environment.logger)),
            DeleteExpiredSessions(store: stores.rows),
            DeleteRefreshTimes(store: stores.rows),
            DeleteStaleDevices(store: stores.rows),
            DeletePastAbsences(store: stores.rows),
            DeleteExpiredLinks(store: stores.rows),
            DeleteDoneJobs(jobs: stores.jobs),
            DeleteOldClientErrors(store: stores.rows),
            DeleteOldFeedback(ballots: stores.ballots, days: environment.feedbackDays),
            DeleteStaleProcesses(store: stores.rows),
            RemoveAccountTraces(
                traces: AccountTraceRemoval(
                    stores: stores, objects: environment.objects, secret: environment.secrets.ballot,
                    clock: environment.clock, timing: timing)),
            PurgeDeletedTeams(store: stores.rows),
            RemovePicture(objects: environment.objects),
            DeleteUnusedPictures(
                orphans: UnusedPictures(
                    stores: stores, objects: environment.objects,
                    mark: InstallationMark(secret: environment.secrets.ballot)),
                clock: environment.clock),
        ] + mailHandlers(environment) + deliveryHandlers(environment, timing: timing)
            + resultHandlers(environment, timing: timing) + backupHandlers(environment),
        schedule: environment.backups == nil ? .worker : .workerWithBackups, timing: scheduleTiming,
        clock: environment.clock,
        metrics: environment.metrics, spans: environment.exporter?.spans, logger: environment.logger)

    var services: [ServiceGroupConfiguration.ServiceConfiguration]
    switch mode {
    case .once(let instant, _):
        let run = SingleRun(processor: processor, instant: instant ?? environment.clock.now, logger: environment.logger)
        services = [.init(service: run, successTerminationBehavior: .gracefullyShutdownGroup)]
    case .forever:
        let heartbeat = ProcessHeartbeat(
            .worker, id: heartbeatID, store: stores.rows, system: stores.system,
            check: environment.checksClock ? check : nil, clock: environment.clock, logger: environment.logger)
        // First, since services stop in reverse order: while the worker finishes its jobs, it still counts as running.
        services = [.init(service: heartbeat), .init(service: processor)]
        if environment.metricsPort != 0 {
            // First, since services stop in reverse order: metrics stay readable until the last job has ended.
            let endpoint = OperatorEndpoint.application(
                metrics: environment.metrics, system: stores.system, check: environment.checksClock ? check : nil,
                host: environment.host, port: environment.metricsPort,
                logger: environment.logger)
            services.insert(.init(service: endpoint), at: 0)
        }
    }
    // First, since services stop in reverse order: the last attempts are exported too.
    if let exporter = environment.exporter { services.insert(.init(service: exporter), at: 0) }
    var configuration = ServiceGroupConfiguration(
        services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: environment.logger)
    // Together less than the 20 s after which a supervisor may kill the process. The processor releases its jobs after
    // 15 s, and the exporter takes 2 s; what runs longer is cancelled, and what ignores that ends with the process, and
    // its leases expire.
    configuration.maximumGracefulShutdownDuration = .seconds(18)
    configuration.maximumCancellationDuration = .seconds(1)
    return ServiceGroup(configuration: configuration)
}

/// One handler per kind of mail.
private func mailHandlers(_ environment: WorkerEnvironment) -> [any JobHandler] {
    let store = environment.stores.rows
    let mails = environment.mails
    return [
        SendPasswordResetMail(store: store, mails: mails),
        SendPasswordChangedMail(store: store, mails: mails),
        SendVerifyEmailMail(store: store, mails: mails),
        SendEmailChangedMail(store: store, mails: mails),
        SendIdentityLinkedMail(store: store, mails: mails),
        SendTestMail(store: store, mails: mails),
        SendInvitationMail(store: store, mails: mails),
        SendRegistrationMail(store: store, mails: mails),
        SendTeamRequestMail(store: store, mails: mails),
    ]
}

/// The handlers of a worker that makes backups.
private func backupHandlers(_ environment: WorkerEnvironment) -> [any JobHandler] {
    guard let backups = environment.backups else { return [] }
    return [backups, CopyDeletions(copies: backups.deletions, clock: backups.clock, logger: backups.logger)]
}

/// The handlers that plan and send reminders and messages.
private func deliveryHandlers(_ environment: WorkerEnvironment, timing: SprintTiming) -> [any JobHandler] {
    let stores = environment.stores
    let secret = environment.secrets.ballot
    return [
        PlanReminders(stores: stores, secret: secret, timing: timing),
        SplitDelivery(stores: stores, secret: secret),
        SendDeliveryBatch(
            stores: stores, secret: secret, push: environment.push, mails: environment.mails,
            catalog: environment.texts, clock: environment.clock),
        MeasureExperiments(measurer: ExperimentMeasurer(stores: stores, secret: secret)),
    ]
}

/// The handlers that mail the results of sprints.
private func resultHandlers(_ environment: WorkerEnvironment, timing: SprintTiming) -> [any JobHandler] {
    let stores = environment.stores
    let jobs = MailJobs(jobs: stores.jobs, clock: environment.clock)
    let sprints = SprintService(
        stores: stores, secret: environment.secrets.ballot, clock: environment.clock, timing: timing)
    // Not run: a worker asks for a membership once a sprint.
    let revocations = RevocationFeed(store: stores.rows, clock: environment.clock)
    let publications = PublicationService(
        stores: stores, sprints: sprints,
        memberships: MembershipCache(store: stores.rows, revocations: revocations, clock: environment.clock),
        secret: environment.secrets.ballot)
    let writer = ResultMailWriter(stores: stores, publications: publications, catalog: environment.texts)
    return [
        PlanResultMails(stores: stores, jobs: jobs), EnqueueResultMails(stores: stores, jobs: jobs),
        SendResultMail(stores: stores, writer: writer, mails: environment.mails),
    ]
}

/// `Worker --once` as a service, so that on a signal it releases its jobs instead of leaving them leased.
private struct SingleRun: Service {
    let processor: JobProcessor
    let instant: Date
    let logger: Logger

    func run() async throws {
        do {
            let attempts = try await cancelWhenGracefulShutdown { try await processor.runDueOnce(at: instant) }
            logger.notice("Nothing more is due", metadata: ["jobs.attempts": "\(attempts)"])
        } catch is CancellationError {
            logger.notice("Stopped before everything was done")
        }
    }
}
