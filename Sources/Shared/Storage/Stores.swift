public import Foundation

/// Everything that is kept, behind one protocol a domain. `open` in `StoreLocation` makes it.
public struct Stores: Sendable {
    /// Users.
    public let users: any UserStore
    /// Sessions and failed log-ins.
    public let sessions: any SessionStore
    /// One-time tokens of mailed links, and how many mails were asked for.
    public let tokens: any OneTimeTokenStore
    /// Pending invitations.
    public let invitations: any InvitationStore
    /// Registrations that wait to be confirmed.
    public let registrations: any RegistrationStore
    /// Who users are at OpenID providers.
    public let identities: any ExternalIdentityStore
    /// Teams and memberships.
    public let teams: any TeamStore
    /// When teams' members are reminded, and how.
    public let reminders: any ReminderSettingsStore
    /// When people are away.
    public let absences: any AbsenceStore
    /// Sprints.
    public let sprints: any SprintStore
    /// Ballots.
    public let ballots: any BallotStore
    /// Devices that get messages.
    public let devices: any DeviceStore
    /// Jobs.
    public let jobs: any JobStore
    /// Reminders and messages on their way.
    public let deliveries: any DeliveryStore
    /// Experiments with the wording of reminders.
    public let experiments: any ExperimentStore
    /// What teams have decided to change.
    public let actions: any ActionStore
    /// Errors that apps report.
    public let clientErrors: any ClientErrorStore
    /// Signs of life of the product's processes.
    public let processes: any ProcessStore
    /// The installation's own texts.
    public let texts: any TextStore
    /// What the store is and knows about itself.
    public let system: any SystemStore

    /// Bundles the stores of one database.
    public init(
        users: any UserStore, sessions: any SessionStore, tokens: any OneTimeTokenStore,
        invitations: any InvitationStore, registrations: any RegistrationStore,
        identities: any ExternalIdentityStore, teams: any TeamStore, reminders: any ReminderSettingsStore,
        absences: any AbsenceStore, sprints: any SprintStore, ballots: any BallotStore, devices: any DeviceStore,
        jobs: any JobStore, deliveries: any DeliveryStore, experiments: any ExperimentStore, actions: any ActionStore,
        clientErrors: any ClientErrorStore, processes: any ProcessStore, texts: any TextStore,
        system: any SystemStore
    ) {
        self.users = users
        self.sessions = sessions
        self.tokens = tokens
        self.invitations = invitations
        self.registrations = registrations
        self.identities = identities
        self.teams = teams
        self.reminders = reminders
        self.absences = absences
        self.sprints = sprints
        self.ballots = ballots
        self.devices = devices
        self.jobs = jobs
        self.deliveries = deliveries
        self.experiments = experiments
        self.actions = actions
        self.clientErrors = clientErrors
        self.processes = processes
        self.texts = texts
        self.system = system
    }
}

/// What a store is and knows about itself.
public protocol SystemStore: Sendable {
    /// `SQLite` or `MongoDB`, for people.
    var kind: String { get }

    /// The version of the database itself, such as `3.45.1`; one cheap question.
    func version() async throws -> String

    /// The time by the database's own clock; `nil` if that is the clock of this machine.
    func time() async throws -> Date?

    /// How many committers may cast ballots at once: one for SQLite, which has one writer, several for MongoDB.
    var ballotPartitions: Int { get }

    /// Brings schema and indexes to the version this program needs; nothing to do if they are there. Safe to call
    /// from several processes at once.
    /// - Returns: the names of the migrations it ran, in order.
    /// - Throws: an error with an operator's message if the store is of a newer version or cannot serve (a standalone
    ///   MongoDB server).
    func migrate() async throws -> [String]

    /// The names of the migrations this program knows, in order, and whether the store has each.
    func migrations() async throws -> [(name: String, isApplied: Bool)]

    /// Looks whether the store is sound: its structure, and that every running sprint has as many receipts as ballots.
    /// - Returns: the sprints of which that is not so.
    /// - Throws: `DamagedStore` if the structure is broken.
    func check() async throws -> [ReceiptMismatch]

    /// Takes the store as it is: makes the receipts of every running sprint as many as its ballots.
    func acceptMismatches() async throws

    /// Writes everything into a file, as it is at one moment, while all processes go on. Neither `BALLOT_SECRET` nor any
    /// order in which things were stored is in it.
    /// - Throws: an error with an operator's message; then there is no such file.
    func backUp(to path: String) async throws

    /// Answers if the store can be read and written; one cheap round trip.
    func ping() async throws

    /// Stores `fingerprint` under `name` if none is there, in one atomic step.
    /// - Returns: the fingerprint that is stored now.
    func fingerprint(named name: String, orStore fingerprint: [UInt8]) async throws -> [UInt8]

    /// Closes files and connections. Calls after it fail.
    func close() async throws
}
