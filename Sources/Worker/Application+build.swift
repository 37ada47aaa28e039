import Foundation
import Logging
import Push
import ServiceLifecycle
import Shared
import UnixSignals

/// What the worker is built from; tests hand over their own.
struct WorkerEnvironment: Sendable {
    let stores: Stores
    let secrets: Secrets
    /// Where pictures are kept.
    let objects: any ObjectStore
    let mails: MailSender
    let push: PushSender
    let clock: WallClock
    /// Whether the clock is compared with others before sprints start or end; tests that set it do not.
    var checksClock = true
    /// Where metrics and health listen.
    let host: String
    /// Port of metrics and health, 0 for none.
    let metricsPort: Int
    let logger: Logger
}

/// How long a worker works.
enum WorkerMode: Sendable, Equatable {
    /// Until it is told to stop.
    case forever
    /// Until nothing is due; `nil` means now.
    /// - `closesSprints`: whether sprints start and end by the instant.
    case once(at: Date?, closesSprints: Bool = false)
}

/// All of the worker's parts, wired together here and nowhere else.
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
    let metrics = PrometheusMetrics(help: JobProcessor.metricsHelp)
    let processor = JobProcessor(
        jobs: stores.jobs,
        handlers: [
            CloseSprints(
                sprints: stores.sprints,
                closing: SprintClosing(stores: stores, secret: environment.secrets.ballot), timing: timing),
            DeleteExpiredSessions(sessions: stores.sessions),
            DeleteRefreshTimes(sessions: stores.sessions),
            DeleteStaleDevices(devices: stores.devices),
            DeletePastAbsences(absences: stores.absences),
            DeleteExpiredLinks(
                tokens: stores.tokens, invitations: stores.invitations, registrations: stores.registrations),
            DeleteDoneJobs(jobs: stores.jobs),
            DeleteOldClientErrors(errors: stores.clientErrors),
            DeleteGoneProcesses(processes: stores.processes),
            RemoveAccountTraces(
                traces: AccountTraceRemoval(
                    stores: stores, objects: environment.objects, secret: environment.secrets.ballot,
                    clock: environment.clock, timing: timing)),
            RemovePicture(objects: environment.objects),
            DeleteOrphanPictures(
                orphans: OrphanPictures(stores: stores, objects: environment.objects), clock: environment.clock),
        ] + mailHandlers(environment) + deliveryHandlers(environment, timing: timing),
        schedule: .worker, clock: environment.clock, metrics: metrics, logger: environment.logger)

    var services: [ServiceGroupConfiguration.ServiceConfiguration]
    switch mode {
    case .once(let instant, _):
        let run = SingleRun(processor: processor, instant: instant ?? environment.clock.now, logger: environment.logger)
        services = [.init(service: run, successTerminationBehavior: .gracefullyShutdownGroup)]
    case .forever:
        let heartbeat = ProcessHeartbeat(
            .worker, id: heartbeatID, store: stores.processes, check: environment.checksClock ? check : nil,
            clock: environment.clock, logger: environment.logger)
        // In front, for services stop from the last to the first: a worker that ends its jobs lives.
        services = [.init(service: heartbeat), .init(service: processor)]
        if environment.metricsPort != 0 {
            // In front, for services stop from the last to the first: metrics can be read until the last job ended.
            let endpoint = OperatorEndpoint.application(
                metrics: metrics, system: stores.system, check: environment.checksClock ? check : nil,
                host: environment.host, port: environment.metricsPort,
                logger: environment.logger)
            services.insert(.init(service: endpoint), at: 0)
        }
    }
    var configuration = ServiceGroupConfiguration(
        services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: environment.logger)
    // Together less than the 20 s after which a supervisor may kill. The processor gives its jobs back after 15 s;
    // what holds on longer is cancelled, and what ignores that ends with the process: its leases run out.
    configuration.maximumGracefulShutdownDuration = .seconds(18)
    configuration.maximumCancellationDuration = .seconds(1)
    return ServiceGroup(configuration: configuration)
}

/// What sends each kind of mail.
private func mailHandlers(_ environment: WorkerEnvironment) -> [any JobHandler] {
    let users = environment.stores.users
    let mails = environment.mails
    return [
        SendPasswordResetMail(users: users, mails: mails),
        SendPasswordChangedMail(users: users, mails: mails),
        SendEmailChangeMail(users: users, mails: mails),
        SendEmailChangedMail(users: users, mails: mails),
        SendIdentityLinkedMail(users: users, mails: mails),
        SendInvitationMail(stores: environment.stores, mails: mails),
        SendRegistrationMail(registrations: environment.stores.registrations, users: users, mails: mails),
    ]
}

/// What plans and sends reminders and messages.
private func deliveryHandlers(_ environment: WorkerEnvironment, timing: SprintTiming) -> [any JobHandler] {
    let stores = environment.stores
    let secret = environment.secrets.ballot
    return [
        PlanReminders(planner: ReminderPlanner(stores: stores, secret: secret, timing: timing)),
        Deliver(
            deliveries: stores.deliveries, expansion: DeliveryExpansion(stores: stores, secret: secret),
            jobs: DeliveryJobs(jobs: stores.jobs)),
        DeliverBatch(
            stores: stores, secret: secret, push: environment.push, mails: environment.mails,
            clock: environment.clock),
        MeasureExperiments(measurer: ExperimentMeasurer(stores: stores, secret: secret)),
    ]
}

/// `Worker --once` as a service, so that a signal gives its jobs back instead of leaving them to their leases.
private struct SingleRun: Service {
    let processor: JobProcessor
    let instant: Date
    let logger: Logger

    func run() async throws {
        do {
            let attempts = try await cancelWhenGracefulShutdown { try await processor.runDueOnce(at: instant) }
            logger.notice("Nothing more is due", metadata: ["jobs.attempts": "\(attempts)"])
        } catch is CancellationError {
            logger.notice("Told to stop before everything was done")
        }
    }
}
