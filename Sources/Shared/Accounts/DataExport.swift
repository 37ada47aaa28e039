import Foundation

/// Everything that is stored about one person, for that person (GDPR Articles 15 and 20). No hash and no secret: these
/// are of no use to them, and of much to whoever finds the file.
public struct DataExport: Sendable, Encodable {
    /// When it was made.
    let exported: Date
    let account: Account
    let memberships: [Team]
    /// Those that are over are removed within a day or two.
    let absences: [Absence]
    let sessions: [Session]
    let devices: [Device]
    let externalIdentities: [Identity]
    /// To the account's address; an invitation that was accepted is gone.
    let invitations: [Invitation]
    /// By the account, and not accepted yet.
    let sentInvitations: [SentInvitation]
    /// Messages to teams, and reminders to oneself.
    let messages: [Message]
    /// With the account's address; one that was confirmed is gone.
    let registration: Registration?
    /// The actions of teams that the person is to see to.
    let actions: [Action]
    let mailedLinks: [MailedLink]
    let failedLogIns: [FailedLogIns]
    let jobs: [Job]
    let votes: Votes

    struct Account: Sendable, Encodable {
        let id: String
        let name: String
        let email: String
        /// A new address that is not confirmed yet.
        let pendingEmail: String?
        let role: String
        /// The password itself is stored nowhere, only what it can be checked against.
        let hasPassword: Bool
        let locale: String
        let notifications: NotificationSettings
        let defaultTeam: String?
        /// Missing for who uploaded none.
        let picture: Picture?
        let createdOn: String

        struct Picture: Sendable, Encodable {
            let uploaded: Date
            /// Where the picture itself can be loaded, until `linkEnds`.
            let link: String
            let linkEnds: Date
        }
    }

    struct Team: Sendable, Encodable {
        let id: String
        let name: String
        let role: String
    }

    struct Session: Sendable, Encodable {
        let id: String
        let device: String
        /// A day; no finer time is kept.
        let lastUsed: String
        let expires: Date
        /// Whether the file was asked for with it.
        let isCurrent: Bool
    }

    struct Device: Sendable, Encodable {
        let id: String
        let service: String
        /// The token, or a browser's endpoint; the keys of a browser's messages are secrets.
        let token: String
        let platform: String
        let appVersion: String?
        let locale: String
        /// A day; no finer time is kept.
        let refreshed: String
    }

    struct Identity: Sendable, Encodable {
        let issuer: String
        let subject: String
    }

    struct Invitation: Sendable, Encodable {
        let email: String
        let role: String
        let team: String?
        let teamRole: String
        let locale: String
        let sent: String
    }

    /// Without the address, which is somebody else's.
    struct SentInvitation: Sendable, Encodable {
        let id: String
        let team: String?
        let sent: String
    }

    struct Message: Sendable, Encodable {
        let id: String
        let team: String
        let kind: String
        let day: String
        let title: String?
        let body: String?
    }

    struct Registration: Sendable, Encodable {
        let name: String
        let email: String
        let role: String
        let locale: String
        let expires: Date
    }

    /// Without notes and quotes, which are the team's words and not about the person.
    struct Action: Sendable, Encodable {
        let id: String
        let team: String
        let title: String
        let state: String
        /// A day.
        let due: String?
    }

    struct MailedLink: Sendable, Encodable {
        let purpose: String
        let email: String
        let expires: Date
    }

    struct FailedLogIns: Sendable, Encodable {
        /// What they are counted for.
        let subject: String
        let count: Int
        let last: Date
    }

    struct Job: Sendable, Encodable {
        let id: String
        let kind: String
        let state: String
        let due: Date
        let attempts: Int
        let lastError: String?
        /// JSON, as the job holds it.
        let parameters: String
    }

    struct Votes: Sendable, Encodable {
        /// Why there is nothing else here.
        let explanation: String
        /// The sprints in which there is a receipt of the person.
        let votedIn: [Sprint]

        struct Sprint: Sendable, Encodable {
            let team: String
            let start: Date
        }
    }
}

extension DataExport {
    init(
        exported: Date, user: User, pictures: PictureLinks, teams: [(team: Shared.Team, role: Membership.Role)],
        absences: [Absence],
        sessions: [Shared.Session], presentSession: Shared.Session.ID, devices: [Shared.Device],
        identities: [ExternalIdentity], invitations: [Shared.Invitation], sentInvitations: [Shared.Invitation],
        messages: [Delivery], registration: Shared.Registration?, actions: [Shared.Action], tokens: [OneTimeToken],
        failures: [(subject: String, failures: LoginFailures)], jobs: [Shared.Job],
        votedIn: [(team: Shared.Team, sprint: Shared.Sprint.Key)]
    ) {
        self.exported = exported
        account = Account(
            user,
            user.picture.map {
                let link = pictures.link(to: $0, .large, .jpeg)
                return Account.Picture(uploaded: $0.uploadedAt, link: link.url, linkEnds: link.ends)
            })
        memberships = teams.map { Team(id: $0.team.id.description, name: $0.team.name, role: $0.role.rawValue) }
        self.absences = absences
        self.sessions = sessions.map { session in
            Session(
                id: session.id.description, device: session.device, lastUsed: session.lastUsed.description,
                expires: session.expires, isCurrent: session.id == presentSession)
        }
        self.devices = devices.map(Device.init)
        externalIdentities = identities.map { Identity(issuer: $0.issuer, subject: $0.subject) }
        self.invitations = invitations.map { Invitation($0) }
        self.sentInvitations = sentInvitations.map { SentInvitation($0) }
        self.messages = messages.map(Message.init)
        self.registration = registration.map(Registration.init)
        self.actions = actions.map(Action.init)
        mailedLinks = tokens.map { MailedLink(purpose: $0.purpose.rawValue, email: $0.email, expires: $0.expires) }
        failedLogIns = failures.map { FailedLogIns(subject: $0, count: $1.count, last: $1.last) }
        self.jobs = jobs.map(Job.init)
        votes = Votes(
            explanation: Self.explanation(in: MailLocale(tag: user.locale)),
            votedIn: votedIn.map { Votes.Sprint(team: $0.team.name, start: $0.sprint.start) })
    }

    /// What the file cannot hold, and why.
    static func explanation(in locale: MailLocale) -> String {
        switch locale {
        case .english:
            """
            The values and texts of your votes are not in this file, because they cannot be tied to you. A vote is added \
            to the sum of its sprint at once and kept nowhere by itself; a text is kept under a random number, without \
            name and time. That you voted in a sprint is kept apart from both until the sprint ends, as a code without \
            your name: only this service, with its secret key, can tell that it is yours. These sprints are listed here. \
            When you delete your account, the code stays until the sprint ends and then stands for your e-mail address, so \
            that nobody votes twice; sums and texts stay, since nobody knows which part of them is yours.
            """
        case .german:
            """
            Die Werte und Texte deiner Stimmen stehen nicht in dieser Datei, weil sie dir nicht zugeordnet werden können. \
            Eine Stimme wird sofort zur Summe ihres Sprints gezählt und nirgends einzeln aufbewahrt; ein Text liegt unter \
            einer zufälligen Nummer, ohne Namen und Zeit. Dass du in einem Sprint abgestimmt hast, wird getrennt davon \
            bis zum Ende des Sprints als Code ohne deinen Namen aufbewahrt: Nur dieser Dienst kann mit seinem geheimen \
            Schlüssel feststellen, dass er von dir ist. Diese Sprints stehen hier. Löschst du dein Konto, bleibt der Code \
            bis zum Ende des Sprints und steht dann für deine E-Mail-Adresse, damit niemand zweimal abstimmt; Summen und \
            Texte bleiben, denn niemand weiß, welcher Teil davon von dir ist.
            """
        }
    }
}

extension DataExport.Account {
    fileprivate init(_ user: User, _ picture: Picture?) {
        id = user.id.description
        name = user.name
        email = user.email
        pendingEmail = user.pendingEmail
        role = user.role.rawValue
        hasPassword = user.passwordHash != nil
        locale = user.locale
        notifications = user.notifications
        defaultTeam = user.defaultTeamID?.description
        self.picture = picture
        createdOn = user.createdOn.description
    }
}

extension DataExport.Device {
    fileprivate init(_ device: Device) {
        let address = StoredDeviceAddress(device.address)
        id = device.id.description
        service = address.service.rawValue
        token = address.token
        platform = device.platform.rawValue
        appVersion = device.appVersion
        locale = device.locale
        refreshed = device.refreshed.description
    }
}

extension DataExport.Invitation {
    fileprivate init(_ invitation: Invitation) {
        email = invitation.email
        role = invitation.role.rawValue
        team = invitation.teamID?.description
        teamRole = invitation.teamRole.rawValue
        locale = invitation.locale
        sent = invitation.sent.description
    }
}

extension DataExport.SentInvitation {
    fileprivate init(_ invitation: Shared.Invitation) {
        id = invitation.id.description
        team = invitation.teamID?.description
        sent = invitation.sent.description
    }
}

extension DataExport.Message {
    fileprivate init(_ delivery: Delivery) {
        id = delivery.id.description
        team = delivery.occasion.sprint.teamID.description
        kind = delivery.occasion.kind.rawValue
        day = delivery.occasion.day.description
        title = delivery.text?.title
        body = delivery.text?.body
    }
}

extension DataExport.Registration {
    fileprivate init(_ registration: Registration) {
        name = registration.name
        email = registration.email
        role = registration.role.rawValue
        locale = registration.locale
        expires = registration.expires
    }
}

extension DataExport.Action {
    fileprivate init(_ action: Action) {
        id = action.id.description
        team = action.teamID.description
        title = action.content.title
        state = action.state.rawValue
        due = action.content.due?.description
    }
}

extension DataExport.Job {
    fileprivate init(_ job: Job) {
        id = job.id.description
        kind = job.kind
        state = job.state.rawValue
        due = job.runAt
        attempts = job.attempts
        lastError = job.lastError
        parameters = job.payload
    }
}
