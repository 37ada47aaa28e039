/// Stores users. Both stores pass the same contract suite; every call may also throw `AppError.storeUnavailable`.
public protocol UserStore: Sendable {
    /// `nil` if there is none.
    func find(id: User.ID) async throws -> User?

    /// Those of these users who exist, ordered by id. One round trip.
    func list(ids: [User.ID]) async throws -> [User]

    /// By user name or e-mail address, ignoring case. Names have no `@` and addresses have one, so at most one user
    /// matches.
    func find(login: String) async throws -> User?

    /// Those of these pictures that are in use. One round trip, by an index.
    func pictures(among ids: [ProfilePicture.ID]) async throws -> Set<ProfilePicture.ID>

    /// Ordered by case-folded name. `after` is the folded name of the last user of the previous page; `nil` as search
    /// means all users.
    /// - Complexity: without a search, `limit` reads by an index. With one, `limit` reads by the index of names, plus
    ///   one read by the index of addresses for each matching address: the number of other users does not matter.
    func list(matching search: UserSearch?, after: String?, limit: Int) async throws -> [User]

    /// - Throws: `AppError.conflict` (`name-taken`, `email-taken`), case-folded.
    func insert(_ user: User) async throws

    /// Stores the very first user and uses up the claim, in one transaction. If several calls race, with the same token
    /// or different ones, one succeeds.
    /// - Throws: `AppError.linkExpired` if the claim's token does not exist or there is a user; then nothing has
    ///   changed.
    func insertFirst(_ user: User, claiming claim: TokenClaim) async throws

    /// Changes only the values set in `update`. Setting `isDisabled` to true ends the user's sessions, and removes
    /// their devices, in the same transaction.
    /// - Throws: `AppError.notFound`; `AppError.conflict` (`email-taken` if another user has the address, case-folded;
    ///   `changed-meanwhile` if `ifPasswordHashIs` is not the stored hash, `ifLocaleIs` not the stored language,
    ///   `ifRoleIs` not the stored role, `ifAdmin` no longer an admin, or the present picture is not the one to be
    ///   replaced). Then nothing has changed. If two admins concurrently take each other's rights, each named by
    ///   `ifAdmin` of their change, one succeeds.
    func update(id: User.ID, _ update: UserUpdate) async throws

    /// Removes the user and the data that belongs only to them, in one transaction: memberships with their places in
    /// `memberCount`, sessions, devices, one-time tokens about the user, external identities. Tallies stay unchanged,
    /// and actions assigned to the user lose their assignee. In the same transaction `job` is enqueued, so that slower
    /// removals happen even if a process crashes; and receipts for the user's address replace their own (`Receipt`).
    /// - Parameters:
    ///   - picture: the user's present picture, as known to `job`.
    ///   - admin: the administrator who decided, if it is not the user.
    ///   - secret: the key for receipts.
    ///   - job: without a dedupe key.
    /// - Throws: `AppError.notFound`; `AppError.conflict`: `changed-meanwhile` if the user's picture is not `picture`,
    ///   or `admin` is disabled or no longer an admin; and if others depend on the user: `last-admin` if no enabled
    ///   admin would be left, `last-lead`, naming the team, if its other members would have no lead. Then nothing has
    ///   changed. If two users of whom one must stay are deleted concurrently, one deletion succeeds; likewise if two
    ///   admins delete each other.
    func delete(
        id: User.ID, ifPictureIs picture: ProfilePicture.ID?, ifAdmin admin: User.ID?, secret: BallotSecret,
        enqueueing job: Job
    ) async throws

    /// Number of users with this role who are not disabled.
    func count(role: User.Role) async throws -> Int
}

extension UserStore {
    /// All users, one page at a time.
    public func list(after: String?, limit: Int) async throws -> [User] {
        try await list(matching: nil, after: after, limit: limit)
    }
}

/// A partial change of a user; `nil` leaves a value unchanged.
public struct UserUpdate: Sendable {
    /// A change of the address to be confirmed.
    public enum PendingEmail: Hashable, Sendable {
        /// Sets the address, replacing an earlier one.
        case set(String)
        /// Discards the pending address.
        case cleared
    }

    /// The sessions that end with a change.
    public enum EndedSessions: Hashable, Sendable {
        /// All sessions stay.
        case none
        /// All sessions end.
        case all
        /// All sessions end except this one.
        case allExcept(Session.ID)
    }

    /// A new address that replaces the present one.
    ///
    /// A user who voted in an open sprint keeps the receipt for the old address, and also gets one for the new address:
    /// one mailbox has one ballot, whichever accounts it has had (`Receipt`).
    public struct NewEmail: Sendable {
        /// Validated; not used by another account.
        public let address: String
        /// The key for receipts.
        public let secret: BallotSecret

        /// The secret must be the one that casting uses.
        public init(_ address: String, secret: BallotSecret) {
            self.address = address
            self.secret = secret
        }
    }

    /// Replaces one picture by another.
    public struct PictureReplacement: Hashable, Sendable {
        /// The present picture, `nil` for none. If it differs, the whole update fails.
        public let old: ProfilePicture.ID?
        /// The new picture, `nil` for none.
        public let new: ProfilePicture?

        /// Names the present and the new picture.
        public init(old: ProfilePicture.ID?, new: ProfilePicture?) {
            self.old = old
            self.new = new
        }
    }

    /// New `crypt(5)` text.
    public var passwordHash: String?
    /// Condition: this is the stored `crypt(5)` text, so the verified password is still the present one.
    public var ifPasswordHashIs: String?
    /// New address.
    public var email: NewEmail?
    /// New address to be confirmed, validated, or a discarded one.
    public var pendingEmail: PendingEmail?
    /// New state.
    public var isDisabled: Bool?
    /// New default team.
    public var defaultTeamID: Team.ID?
    /// New role.
    public var role: User.Role?
    /// Condition: this is the stored role, which the caller's decision is based on.
    public var ifRoleIs: User.Role?
    /// Condition: this user is still an admin who is not disabled.
    public var ifAdmin: User.ID?
    /// New language of mails and pages.
    public var locale: String?
    /// Condition: this is the stored language, so no choice was made since it was read.
    public var ifLocaleIs: String?
    /// Replaces all notification settings.
    public var notifications: NotificationSettings?
    /// New picture, or removal of the present one.
    public var picture: PictureReplacement?
    /// The sessions that end with the change.
    public var endsSessions: EndedSessions
    /// The purposes whose tokens about the user are removed.
    public var endsTokens: Set<OneTimeToken.Purpose>
    /// The token that permits the change and is used up with it. Condition: it is valid.
    public var claim: TokenClaim?
    /// A job without a dedupe key that is enqueued with the change: a notification mail, or the removal of a replaced
    /// picture.
    public var job: Job?

    /// By default changes nothing.
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

    /// A password chosen by the user. It closes all access that the old one may have given to others: links and login
    /// codes become invalid, and a pending change of address is discarded.
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

    /// `lastAdmin`, worded for a caller who is not that administrator.
    static let otherIsLastAdmin = AppError(
        .conflict, "This is the only administrator. Please make somebody else an administrator first.",
        reason: lastAdmin.reason)

    /// For stores: without this user the team's other members would have no lead.
    static func lastLead(of teamName: String) -> AppError {
        AppError(
            .conflict, "You are the only lead of \(teamName). Please have another member made a lead first.",
            reason: "last-lead")
    }

    /// For stores: another user has the name, case-folded.
    public static let nameTaken = AppError(.conflict, "This user name is taken.", reason: "name-taken")
    /// For stores: another user has the address, case-folded.
    public static let emailTaken = AppError(.conflict, "This e-mail address is taken.", reason: "email-taken")
    /// For stores: a condition of the update is no longer met.
    static let changedMeanwhile = AppError(
        .conflict, "The account was changed at the same moment. Please try again.", reason: "changed-meanwhile")
}
