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

extension User {
    /// The user after the change.
    func applying(_ update: UserUpdate) -> User {
        var user = self
        user.passwordHash = update.passwordHash ?? passwordHash
        user.email = update.email?.address ?? email
        switch update.pendingEmail {
        case .set(let address): user.pendingEmail = address
        case .cleared: user.pendingEmail = nil
        case nil: break
        }
        user.isDisabled = update.isDisabled ?? isDisabled
        user.defaultTeamID = update.defaultTeamID ?? defaultTeamID
        user.role = update.role ?? role
        user.locale = update.locale ?? locale
        user.notifications = update.notifications ?? notifications
        if let replacement = update.picture { user.picture = replacement.new }
        return user
    }
}

extension UserUpdate {
    /// Whether the conditions on the stored values are met.
    func isPossible(for user: User) -> Bool {
        (ifPasswordHashIs == nil || ifPasswordHashIs == user.passwordHash)
            && (ifLocaleIs == nil || ifLocaleIs == user.locale) && (ifRoleIs == nil || ifRoleIs == user.role)
            && (picture == nil || picture?.old == user.picture?.id)
    }
}
