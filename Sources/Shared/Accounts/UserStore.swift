/// Where users are kept. Both stores pass the same contract suite; every call may also throw
/// `AppError.storeUnavailable`.
public protocol UserStore: Sendable {
    /// `nil` if there is none.
    func find(id: User.ID) async throws -> User?

    /// Those of these users who are there, ordered by id. One round trip.
    func list(ids: [User.ID]) async throws -> [User]

    /// By user name or e-mail address, in any case. Names have no `@` and addresses have one, so at most one matches.
    func find(login: String) async throws -> User?

    /// Those of these pictures that are somebody's. One round trip, by an index.
    func pictures(among ids: [ProfilePicture.ID]) async throws -> Set<ProfilePicture.ID>

    /// In order of the case-folded name. `after` is the folded name of the last user of the page before; `nil` as search
    /// means everybody.
    /// - Complexity: without a search, `limit` reads by an index. With one, `limit` reads by an index of names, and by one of
    ///   addresses as many as there are addresses that match: nobody else is looked at, however many there are.
    func list(matching search: UserSearch?, after: String?, limit: Int) async throws -> [User]

    /// - Throws: `AppError.conflict` (`name-taken`, `email-taken`), case-folded.
    func insert(_ user: User) async throws

    /// Stores the first user of all and takes the claim, in one transaction. Of several who do it at once, with the same
    /// token or different ones, one succeeds.
    /// - Throws: `AppError.linkExpired` if the claim's token is not there or there is a user; then nothing was changed.
    func insertFirst(_ user: User, claiming claim: TokenClaim) async throws

    /// Changes what `update` names and nothing else. Setting `isDisabled` to true ends the user's sessions, and removes
    /// their devices, in the same transaction.
    /// - Throws: `AppError.notFound`; `AppError.conflict` (`email-taken` if another user has the address, case-folded;
    ///   `changed-meanwhile` if `ifPasswordHashIs` is not the stored hash, `ifLocaleIs` not the stored language,
    ///   `ifRoleIs` not the stored role, `ifAdmin` no admin any more, or another picture counts than the one that is to be
    ///   replaced). Then nothing was changed. Of two admins who take each other's rights at once, each named by `ifAdmin`
    ///   of their change, one does.
    func update(id: User.ID, _ update: UserUpdate) async throws

    /// Removes the user and what belongs to nobody else, in one transaction: memberships with their places in
    /// `memberCount`, sessions, devices, one-time tokens about the user, external identities. Tallies stay as they are, and
    /// actions they were to see to become nobody's.
    /// In the same transaction `job` is enqueued, so that what takes longer to remove is removed, whatever process dies;
    /// and receipts for the user's address take the place of their own (`Receipt`).
    /// - Parameters:
    ///   - picture: the one the user has, as `job` knows it.
    ///   - admin: whoever decided, if it is not the user.
    ///   - secret: what receipts are keyed with.
    ///   - job: without a dedupe key.
    /// - Throws: `AppError.notFound`; `AppError.conflict`: `changed-meanwhile` if the user has another picture than
    ///   `picture`, or `admin` is no admin any more or disabled; and if others depend on the user: `last-admin` if nobody
    ///   would be left who is an admin and not disabled, `last-lead`, naming the team, if its other members would have no
    ///   lead. Then nothing was changed. Of two who could each go if the other stayed, and go at once, one goes; of two
    ///   admins who delete each other, too.
    func delete(
        id: User.ID, ifPictureIs picture: ProfilePicture.ID?, ifAdmin admin: User.ID?, secret: BallotSecret,
        enqueueing job: Job
    ) async throws

    /// How many users have this role and are not disabled.
    func count(role: User.Role) async throws -> Int
}

extension UserStore {
    /// Everybody, a page at a time.
    public func list(after: String?, limit: Int) async throws -> [User] {
        try await list(matching: nil, after: after, limit: limit)
    }
}

/// What to change of a user; `nil` leaves a value as it is.
public struct UserUpdate: Sendable {
    /// What becomes of the address that waits to be confirmed.
    public enum PendingEmail: Hashable, Sendable {
        /// This one waits, in place of an earlier one.
        case set(String)
        /// None waits any more.
        case cleared
    }

    /// What becomes of the user's sessions.
    public enum EndedSessions: Hashable, Sendable {
        /// They go on.
        case none
        /// All end.
        case all
        /// All but this one end.
        case allExcept(Session.ID)
    }

    /// An address in the place of another one.
    ///
    /// Whoever voted in an open sprint leaves a receipt for the old address there, and one for the new address becomes
    /// theirs: one mailbox has one ballot, whichever accounts it has had (`Receipt`).
    public struct NewEmail: Sendable {
        /// Validated; nobody else's.
        public let address: String
        /// What receipts are keyed with.
        public let secret: BallotSecret

        /// A new address.
        public init(_ address: String, secret: BallotSecret) {
            self.address = address
            self.secret = secret
        }
    }

    /// One picture in another's place.
    public struct PictureReplacement: Hashable, Sendable {
        /// The one that counts up to now, `nil` for none. If it is not, nothing at all is changed.
        public let old: ProfilePicture.ID?
        /// The one that counts from now on, `nil` for none.
        public let new: ProfilePicture?

        /// A replacement from its parts.
        public init(old: ProfilePicture.ID?, new: ProfilePicture?) {
            self.old = old
            self.new = new
        }
    }

    /// New `crypt(5)` text.
    public var passwordHash: String?
    /// Change nothing at all unless this is the stored `crypt(5)` text: the password that was checked still counts.
    public var ifPasswordHashIs: String?
    /// New address.
    public var email: NewEmail?
    /// New address to be confirmed, validated, or none.
    public var pendingEmail: PendingEmail?
    /// New state.
    public var isDisabled: Bool?
    /// New default team.
    public var defaultTeamID: Team.ID?
    /// New role.
    public var role: User.Role?
    /// Change nothing at all unless this is the stored role: the one that whoever decided had seen.
    public var ifRoleIs: User.Role?
    /// Change nothing at all unless this user is an admin who is not disabled: whoever decided may still.
    public var ifAdmin: User.ID?
    /// New language of mails and pages.
    public var locale: String?
    /// Change nothing at all unless this is the stored language: nobody chose one since it was read.
    public var ifLocaleIs: String?
    /// New wishes, in place of all earlier ones.
    public var notifications: NotificationSettings?
    /// New picture, or none any more.
    public var picture: PictureReplacement?
    /// Sessions that end.
    public var endsSessions: EndedSessions
    /// Tokens about the user that are removed, by purpose.
    public var endsTokens: Set<OneTimeToken.Purpose>
    /// The token that allows the change and is used up with it. Change nothing at all unless it counts.
    public var claim: TokenClaim?
    /// A job without a dedupe key that is enqueued with the change: the mail that tells of it, the removal of a picture
    /// that was replaced.
    public var job: Job?

    /// Names what to change.
    public init(
        passwordHash: String? = nil, ifPasswordHashIs: String? = nil, email: NewEmail? = nil,
        pendingEmail: PendingEmail? = nil, isDisabled: Bool? = nil, defaultTeamID: Team.ID? = nil,
        role: User.Role? = nil, ifRoleIs: User.Role? = nil, ifAdmin: User.ID? = nil, locale: String? = nil,
        ifLocaleIs: String? = nil, notifications: NotificationSettings? = nil, picture: PictureReplacement? = nil,
        endsSessions: EndedSessions = .none, endsTokens: Set<OneTimeToken.Purpose> = [], claim: TokenClaim? = nil,
        enqueueing job: Job? = nil
    ) {
        self.passwordHash = passwordHash
        self.ifPasswordHashIs = ifPasswordHashIs
        self.email = email
        self.pendingEmail = pendingEmail
        self.isDisabled = isDisabled
        self.defaultTeamID = defaultTeamID
        self.role = role
        self.ifRoleIs = ifRoleIs
        self.ifAdmin = ifAdmin
        self.locale = locale
        self.ifLocaleIs = ifLocaleIs
        self.notifications = notifications
        self.picture = picture
        self.endsSessions = endsSessions
        self.endsTokens = endsTokens
        self.claim = claim
        self.job = job
    }

    /// A password that somebody chose: with it, whatever was opened to whoever knew the old one is closed. Links and
    /// log-in codes count no more, and no address waits to be confirmed.
    init(newPassword hash: String, endsSessions: EndedSessions, claim: TokenClaim? = nil, enqueueing job: Job? = nil) {
        self.init(
            passwordHash: hash, pendingEmail: .cleared, endsSessions: endsSessions, endsTokens: .intoAccount,
            claim: claim, enqueueing: job)
    }
}

extension AppError {
    /// For stores: without this user nobody could manage the installation.
    static let lastAdmin = AppError(
        .conflict, "You are the only administrator. Please make somebody else an administrator first.",
        reason: "last-admin")

    /// `lastAdmin`, said to another person than that administrator.
    static let otherIsLastAdmin = AppError(
        .conflict, "This is the only administrator. Please make somebody else an administrator first.",
        reason: lastAdmin.reason)

    /// For stores: without this user nobody would lead the team's other members.
    static func lastLead(of teamName: String) -> AppError {
        AppError(
            .conflict, "You are the only lead of \(teamName). Please have another member made a lead first.",
            reason: "last-lead")
    }

    /// For stores: another user has the name, case-folded.
    public static let nameTaken = AppError(.conflict, "This user name is taken.", reason: "name-taken")
    /// For stores: another user has the address, case-folded.
    public static let emailTaken = AppError(.conflict, "This e-mail address is taken.", reason: "email-taken")
    /// For stores: what an update was made under does not hold any more.
    static let changedMeanwhile = AppError(
        .conflict, "The account was changed at the same moment. Please try again.", reason: "changed-meanwhile")
}
