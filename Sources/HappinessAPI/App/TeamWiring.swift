import Services
import Storage

/// The services about teams, their sprints and results that several features use. Only the wiring sees this type.
struct TeamWiring {
    let sprints: SprintService
    let publications: PublicationService
    let liveSprints: LiveSprintCache
    let histories: HistoryCache
    let marks: TeamMarksCache
    /// Must be closed after the last request, so that waiting ballots are committed.
    let ballotBox: BallotBox
    let ballotKeys: BallotKeyService
    let ballots: BallotService
    let teams: TeamService
    let firstSteps: FirstStepsService
    let reminders: ReminderService
    let absences: AbsenceService
    let actions: ActionService

    /// - Parameter timing: asked before a sprint starts or ends by the clock.
    init(_ environment: AppEnvironment, memberships: MembershipCache, timing: SprintTiming) {
        let stores = environment.stores
        let secret = environment.secrets.ballot
        let clock = environment.clock
        let sprints = SprintService(stores: stores, secret: secret, clock: clock, timing: timing)
        self.sprints = sprints
        publications = PublicationService(stores: stores, sprints: sprints, memberships: memberships, secret: secret)
        liveSprints = LiveSprintCache(publications: publications, sprints: sprints, clock: clock)
        histories = HistoryCache(publications: publications, clock: clock)
        marks = TeamMarksCache(store: stores.rows, clock: clock)
        ballotBox = BallotBox(store: stores.ballots, partitions: stores.system.ballotPartitions, clock: clock)
        ballotKeys = BallotKeyService(
            store: stores.ballotKeys, secret: secret, clock: clock, logger: environment.logger)
        ballots = BallotService(
            box: ballotBox, keys: ballotKeys, stores: stores, sprints: sprints, memberships: memberships,
            secret: secret, publicURL: environment.settings.server.publicURL, clock: clock, logger: environment.logger)
        teams = TeamService(stores: stores, secret: secret, memberships: memberships, clock: clock) {
            sprints.forget($0)
        }
        firstSteps = FirstStepsService(
            stores: stores, ballots: ballots, secret: secret, keepsMails: environment.files.pages.keepsMails)
        reminders = ReminderService(stores: stores, clock: clock)
        absences = AbsenceService(stores: stores, clock: clock)
        actions = ActionService(stores: stores, sprints: sprints, secret: secret, clock: clock)
    }
}
