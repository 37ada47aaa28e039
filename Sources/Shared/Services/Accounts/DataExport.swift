import Domain
import Foundation
import Storage

/// All data stored about one user, for that user (GDPR Articles 15 and 20). It contains no hash and no secret: these
/// are useless to the user, but valuable to an attacker who obtains the file.
package struct DataExport: Sendable, Encodable {
    /// When it was made.
    let exported: Date
    let account: Account
    let memberships: [Team]
    /// Past absences are removed within a day or two.
    let absences: [Absence]
    let sessions: [Session]
    let devices: [Device]
    let externalIdentities: [Identity]
    /// Invitations to the account's address; accepted ones are removed.
    let invitations: [Invitation]
    /// Pending invitations by the account.
    let sentInvitations: [SentInvitation]
    /// Messages to teams, and the user's own reminders.
    let messages: [Message]
    /// A registration for the account's address; a confirmed one is removed.
    let registration: Registration?
    /// Actions of teams assigned to the user.
    let actions: [Action]
    /// Actions to which the user has said "me too".
    let supportedActions: [SupportedAction]
    let mailedLinks: [MailedLink]
    // The name is that of the JSON, which readers of older exports know.
    let failedLogIns: [FailedLogins]
    let jobs: [Job]
    let votes: Votes

    struct Account: Sendable, Encodable {
        let id: String
        let name: String
        /// The name that others see instead; missing if they see `name`.
        let displayName: String?
        let email: String
        /// A new address that is not confirmed yet.
        let pendingEmail: String?
        /// Missing if mails to the address arrive, as far as is known.
        let addressFault: AddressFault?
        /// The day on which an administrator last set the address; missing if none ever did.
        let emailSetOn: String?
        let role: String
        /// The password itself is never stored, only a hash.
        let hasPassword: Bool
        /// Whether somebody else set the password.
        let passwordIsHandedOut: Bool
        let locale: String
        let notifications: NotificationSettings
        let defaultTeam: String?
        /// Missing if the user has not uploaded one.
        let picture: Picture?
        let createdOn: String

        struct AddressFault: Sendable, Encodable {
            let reason: String
            /// A day; no finer time is kept.
            let since: String
        }

        struct Picture: Sendable, Encodable {
            let uploaded: Date
            /// A link to the picture, valid until `linkEnds`.
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
        /// Whether this session requested the file.
        let isCurrent: Bool
    }

    struct Device: Sendable, Encodable {
        let id: String
        let service: String
        /// The token, or a browser's endpoint; the keys of a browser are secret.
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

    /// Without the address, which belongs to another person.
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

    /// Without notes and quotes, which are the team's words and not about the user.
    struct Action: Sendable, Encodable {
        let id: String
        let team: String
        let title: String
        let state: String
        /// A day.
        let due: String?
    }

    struct SupportedAction: Sendable, Encodable {
        let id: String
        let team: String
        /// Missing if the user has left the team.
        let title: String?
    }

    struct MailedLink: Sendable, Encodable {
        let purpose: String
        let email: String
        let expires: Date
    }

    struct FailedLogins: Sendable, Encodable {
        /// The name or address the attempts are counted for.
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
        /// JSON, as stored in the job.
        let parameters: String
    }

    struct Votes: Sendable, Encodable {
        /// Why the section contains nothing else.
        let explanation: String
        /// The sprints with a receipt of the user.
        let votedIn: [Sprint]

        struct Sprint: Sendable, Encodable {
            let team: String
            let start: Date
        }
    }
}

extension DataExport {
    init(
        exported: Date, user: User, words: LocalizedTexts, pictures: PictureLinks,
        teams: [(team: Domain.Team, role: Membership.Role)], absences: [Absence],
        sessions: [Domain.Session], presentSession: Domain.Session.ID, devices: [Domain.Device],
        identities: [ExternalIdentity], invitations: [Domain.Invitation], sentInvitations: [Domain.Invitation],
        messages: [Delivery], registration: Domain.Registration?, actions: [Domain.Action],
        supported: [Domain.Action], tokens: [OneTimeToken],
        failures: [(subject: String, failures: LoginFailures)], jobs: [Domain.Job],
        votedIn: [(team: Domain.Team, sprint: Domain.Sprint.Key)]
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
        let present = Set(teams.map { $0.team.id })
        supportedActions = supported.map { action in
            SupportedAction(
                id: action.id.description, team: action.teamID.description,
                title: present.contains(action.teamID) ? action.content.title : nil)
        }
        mailedLinks = tokens.map { MailedLink(purpose: $0.purpose.rawValue, email: $0.email, expires: $0.expires) }
        failedLogIns = failures.map { FailedLogins(subject: $0, count: $1.count, last: $1.last) }
        self.jobs = jobs.map(Job.init)
        votes = Votes(
            explanation: words.text("dataExport.votes"),
            votedIn: votedIn.map { Votes.Sprint(team: $0.team.name, start: $0.sprint.start) })
    }
}

extension DataExport.Account {
    fileprivate init(_ user: User, _ picture: Picture?) {
        id = user.id.description
        name = user.name
        displayName = user.displayName
        email = user.email
        pendingEmail = user.pendingEmail
        addressFault = user.addressFault.map {
            AddressFault(reason: $0.kind.rawValue, since: $0.since.description)
        }
        emailSetOn = user.emailSetOn?.description
        role = user.role.rawValue
        hasPassword = user.passwordHash != nil
        passwordIsHandedOut = user.passwordIsHandedOut
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
    fileprivate init(_ invitation: Domain.Invitation) {
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
