import Crypto
import Domain
import Foundation
import Logging
import ObjectStorage
import Ports
import Storage
import TestSupport
import Testing

@testable import Services
@testable import Worker

/// A user who has left as many traces as possible.
struct UserWithTraces {
    private static let password = "purple lamp 9"
    private static let identitySubject = "subject-5f2b6c0d8a91"
    private static let deviceToken = "token-of-quirins-phone"

    private let stores: Stores
    private let accounts: AccountService
    /// The store of their picture.
    let objects: FaultyObjectStore
    let picture: ProfilePicture
    let user: User
    let principal: Principal
    /// Receipts in a running sprint, and in one of a team that the user has left.
    let receipts: [Receipt]

    /// Creates the user in an empty store, with a picture below `directory`.
    static func make(in stores: Stores, _ directory: TemporaryDirectory) async throws -> UserWithTraces {
        let objects = FaultyObjectStore(FileObjectStore(folder: directory.path("objects")))
        let secrets = Secrets(jwt: SymmetricKey(size: .bits256), ballot: Voter.secret)
        let clock = WallClock { Instants.now }
        let hasher = try PasswordHasher(cost: PasswordHasher.costs.lowerBound)
        let memberships = MembershipCache(stores: stores, clock: clock)
        let logins = try LoginService(
            stores: stores, secrets: secrets, hasher: hasher, lifetimes: SessionLifetimes(), memberships: memberships,
            clock: clock)
        let user = User(
            name: try UserName("Quirin Dumpsearch"), email: try EmailAddress("quirin@dump.example"),
            pendingEmail: try EmailAddress("waiting@dump.example"), passwordHash: try await hasher.hash(password))
        try await stores.insert(user)
        let receipts = try await vote(as: user, in: stores)

        let logIn = try await logins.logIn(
            login: user.name, password: password, device: "Quirins Telefon", address: "192.0.2.1", lifetime: .classic)
        let principal = Principal(userID: user.id, sessionID: logIn.sessionID)
        let throttle = LoginThrottle(store: stores.rows, secret: secrets.jwt)
        for login in [user.name, user.email] {
            try await throttle.recordFailure(throttle.attempt(login: login, from: "192.0.2.1"), at: Instants.now)
        }
        try await throttle.recordFailure(throttle.attempt(of: user.id), at: Instants.now)
        try await leaveLinks(of: user, in: stores)
        try await leaveJobs(of: user, in: stores)
        let picture = try await leavePicture(of: user, in: stores, objects)

        let accounts = AccountService(
            stores: stores, secrets: secrets, hasher: hasher, authenticator: logins.authenticator,
            memberships: memberships, clock: clock)
        return UserWithTraces(
            stores: stores, accounts: accounts, objects: objects, picture: picture, user: user, principal: principal,
            receipts: receipts)
    }

    /// All data that leads to the user, as bytes to search for. Stores keep receipts as bytes, everything else as text.
    var traces: [(what: String, bytes: Data)] {
        let texts = [
            ("id", user.id.description), ("name", user.name), ("folded name", UserName.folded(user.name)),
            ("address", user.email), ("pending address", "waiting@dump.example"), ("old address", "old@dump.example"),
            ("session", principal.sessionID.description), ("device", "Quirins Telefon"),
            ("identity", Self.identitySubject), ("token", Self.deviceToken), ("domain", "dump.example"),
            ("picture", picture.id.description),
        ]
        return texts.map { ($0, Data($1.utf8)) } + receipts.map { ("receipt", Data($0.bytes)) }
    }

    /// Deletes the account like its owner.
    func deleteAccount() async throws {
        try await accounts.delete(principal, proof: .password(Self.password))
    }

    /// A sprint in which only this user has not voted.
    func keepATeamWaiting() async throws -> Sprint {
        let team = try await stores.makeTeam("waiting")
        let sprint = try await stores.makeSprint(of: team)
        let others = try await stores.makeVoters(4, in: team)
        try await stores.add(Membership(teamID: team.id, userID: user.id))
        _ = try await stores.cast(try others.map { try $0.ballot(in: sprint) })
        return sprint
    }

    /// Votes in a running sprint, in a closed one, and in one of a team that the user left afterwards. Not all members
    /// have voted in any of them.
    private static func vote(as user: User, in stores: Stores) async throws -> [Receipt] {
        let session = try await stores.makeSession(of: user)
        let voter = Voter(user: user, session: session)
        var receipts: [Receipt] = []
        let names = ["running", "closed", "left"]
        for name in names {
            let team = try await stores.makeTeam(name)
            let sprint = try await stores.makeSprint(of: team)
            let others = try await stores.makeVoters(5, in: team)
            try await stores.add(Membership(teamID: team.id, userID: user.id))
            let own = try voter.ballot(in: sprint, feedback: "a word")
            let ballots = try others.dropLast().map { try $0.ballot(in: sprint) }
            #expect(try await stores.cast([own] + ballots).allSatisfy { $0.isCounted })
            let action = Action(
                teamID: team.id, content: ActionContent(title: "A thing to change", assignee: user.id),
                made: ActionSprint(sprint))
            try await stores.insert(action, at: .last)
            let support = ActionSupport(of: action.id, by: user.id, secret: Voter.secret)
            try await stores.transaction { try $0.insert(support) }
            if name == "left" { try await stores.remove(userID: user.id, from: team.id) }
            if name == "closed" {
                #expect(try await SprintClosing(stores: stores, secret: Voter.secret).close(sprint.key))
            } else {
                receipts.append(voter.receipt(in: sprint))
            }
        }
        return receipts
    }

    private static func leaveLinks(of user: User, in stores: Stores) async throws {
        let registration = Registration(
            name: user.name, email: user.email, passwordHash: "$2b$12$x", role: .member, locale: "en",
            expires: Instants.now + Instants.day)
        try await stores.write { try $0.put(registration) }
        let invitation = Invitation(
            email: user.email, role: .member, teamID: nil, teamRole: .member, locale: "en",
            sent: try #require(CalendarDay("2026-01-08")))
        try await stores.insert(invitation)
        try await stores.insert(
            Invitation(
                email: "invited@elsewhere.example", role: .guest, teamID: try await stores.makeTeam("inviting").id,
                teamRole: .member, locale: "en",
                inviterID: user.id, sent: invitation.sent))
        let day = try #require(CalendarDay("2026-02-02"))
        try await stores.replaceAbsences(of: user.id, by: [Absence(first: day, last: day)])
        let device = Device(
            userID: user.id, sessionID: nil, address: .fcm(token: deviceToken), platform: .android, appVersion: nil,
            locale: "en", refreshed: day)
        _ = try await stores.register(device, limit: 1)
        try await stores.insert(
            ExternalIdentity(issuer: "https://id.example", subject: identitySubject, userID: user.id))
        let subjects: [(OneTimeToken.Purpose, String)] = [
            (.passwordReset, user.id.description), (.emailChange, user.id.description),
            (.invitation, invitation.id.description), (.registration, registration.id.description),
        ]
        for (purpose, subject) in subjects {
            let token = OneTimeToken.make(purpose, subject: subject, email: user.email, at: Instants.now).token
            try await stores.insert(token)
        }
    }

    private static func leavePicture(
        of user: User, in stores: Stores, _ objects: any ObjectStore
    ) async throws -> ProfilePicture {
        let picture = ProfilePicture(uploadedAt: Instants.now)
        for key in picture.keys {
            try await objects.put(StoredObject(mediaType: "image/webp", bytes: [1, 2, 3]), at: key)
        }
        _ = try await stores.replacePicture(of: user.id, by: picture, at: Instants.now)
        return picture
    }

    private static func leaveJobs(of user: User, in stores: Stores) async throws {
        let mails = MailJobs(jobs: stores.jobs, clock: WallClock { Instants.now })
        try await mails.passwordReset(of: user.id)
        _ = try await stores.jobs.enqueue(mails.emailChanged(of: user.id, from: "old@dump.example"))
        _ = try await stores.jobs.enqueue(
            Job(kind: "other", dedupeKey: "other:\(user.id)", state: .dead, runAt: Instants.now))
    }
}

extension Stores {
    /// Runs the worker's due jobs for deleted accounts.
    /// - Returns: number of attempts.
    @discardableResult
    func removeAccountTraces(of person: UserWithTraces, at now: Date = Instants.now) async throws -> Int {
        let clock = WallClock { now }
        let removal = AccountTraceRemoval(
            stores: self, objects: person.objects, secret: Voter.secret, clock: clock)
        let processor = JobProcessor(
            jobs: jobs, handlers: [RemoveAccountTraces(traces: removal)], clock: clock, random: { 0.5 },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await processor.runDueOnce(at: now)
    }
}

/// An invitation and the texts of its mailed links.
struct MailedInvitation: Sendable {
    let invitation: Invitation
    let tokens: [String]
}

extension Stores {
    /// A guest's invitation, by the operator unless an inviter is given.
    func makeInvitation(
        to email: String = "new@example.org", into team: Team, as role: Membership.Role = .member,
        by inviter: User? = nil, links: Int = 1, linksTo address: String? = nil
    ) async throws -> MailedInvitation {
        let invitation = Invitation(
            email: email, role: .guest, teamID: team.id, teamRole: role, locale: "de", inviterID: inviter?.id,
            sent: CalendarDay(instant: Instants.now, in: .gmt))
        try await insert(invitation)
        var tokens: [String] = []
        for _ in 0..<links {
            // Created shortly before the invitation expires, so that the link's own lifetime does not end first.
            let (text, token) = OneTimeToken.make(
                .invitation, subject: invitation.id.description, email: address ?? email,
                at: Instants.now + Double(Invitation.lifetime) * Instants.day)
            try await self.insert(token)
            tokens.append(text)
        }
        return MailedInvitation(invitation: invitation, tokens: tokens)
    }
}
