/// A partial change of a user; `nil` leaves a value unchanged.
package struct UserUpdate: Sendable {
    /// A change of the address to be confirmed.
    package enum PendingEmail: Hashable, Sendable {
        /// Sets the address, replacing an earlier one.
        case set(String)
        /// Discards the pending address.
        case cleared
    }

    /// A change of the display name.
    package enum DisplayNameChange: Hashable, Sendable {
        /// Replaces it.
        case set(DisplayName)
        /// Others see the user name again.
        case cleared
    }

    /// The sessions that end with a change.
    package enum EndedSessions: Hashable, Sendable {
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
    /// one mailbox has one ballot, whichever accounts it has had (`Receipt`). An address that an administrator or a
    /// provider sets brings no receipts with it.
    package struct NewEmail: Sendable {
        /// Validated; not used by another account.
        package let address: String
        /// The key for receipts.
        package let secret: BallotSecret
        /// The UTC day, if an administrator or the operator decides (`User.emailSetOn`).
        package let setOn: CalendarDay?
        /// Whether the user has shown that they read its mails.
        package let isProven: Bool

        /// The secret must be the one that casting uses.
        package init(
            _ address: String, secret: BallotSecret, setOn: CalendarDay? = nil, isFromProvider: Bool = false
        ) {
            self.address = address
            self.secret = secret
            self.setOn = setOn
            isProven = setOn == nil && !isFromProvider
        }
    }

    /// Replaces one picture by another.
    package struct PictureReplacement: Hashable, Sendable {
        /// The present picture, `nil` for none. If it differs, the whole update fails.
        package let old: ProfilePicture.ID?
        /// The new picture, `nil` for none.
        package let new: ProfilePicture?

        /// Names the present and the new picture.
        package init(old: ProfilePicture.ID?, new: ProfilePicture?) {
            self.old = old
            self.new = new
        }
    }

    /// New user name.
    package var name: UserName?
    /// New display name.
    package var displayName: DisplayNameChange?
    /// New `crypt(5)` text.
    package var passwordHash: String?
    /// Whether somebody else set the password (`User.passwordIsHandedOut`). A hash alone leaves it: the same password
    /// may have been hashed again.
    package var passwordIsHandedOut: Bool?
    /// Condition: this is the stored `crypt(5)` text, so the verified password is still the present one.
    package var ifPasswordHashIs: String?
    /// New address.
    package var email: NewEmail?
    /// Condition: this is the stored address, to which the notice of its change goes.
    package var ifEmailIs: String?
    /// New address to be confirmed, validated, or a discarded one.
    package var pendingEmail: PendingEmail?
    /// Whether mails are sent to the present address again. A new address has no fault either.
    package var liftsAddressFault: Bool
    /// New state.
    package var isDisabled: Bool?
    /// New default team.
    package var defaultTeamID: Team.ID?
    /// New role.
    package var role: User.Role?
    /// Condition: this is the stored role, which the caller's decision is based on.
    package var ifRoleIs: User.Role?
    /// Condition: this user is still an admin who is not disabled.
    package var ifAdmin: User.ID?
    /// New language of mails and pages.
    package var locale: String?
    /// Condition: this is the stored language, so no choice was made since it was read.
    package var ifLocaleIs: String?
    /// Changes of the notifications.
    package var notifications: NotificationChange?
    /// New picture, or removal of the present one.
    package var picture: PictureReplacement?
    /// The sessions that end with the change.
    package var endsSessions: EndedSessions
    /// The purposes whose tokens about the user are removed.
    package var endsTokens: Set<OneTimeToken.Purpose>
    /// The token that permits the change and is used up with it. Condition: it is valid.
    package var claim: TokenClaim?
    /// A job without a dedupe key that is enqueued with the change: a notification mail, or the removal of a replaced
    /// picture.
    package var job: Job?
    /// That the replaced picture was deleted; remembered with the change.
    package var deletion: Deletion?

    /// By default changes nothing.
    package init(
        name: UserName? = nil, displayName: DisplayNameChange? = nil, passwordHash: String? = nil,
        passwordIsHandedOut: Bool? = nil, ifPasswordHashIs: String? = nil, email: NewEmail? = nil,
        ifEmailIs: String? = nil, pendingEmail: PendingEmail? = nil, liftsAddressFault: Bool = false,
        isDisabled: Bool? = nil, defaultTeamID: Team.ID? = nil, role: User.Role? = nil, ifRoleIs: User.Role? = nil,
        ifAdmin: User.ID? = nil, locale: String? = nil, ifLocaleIs: String? = nil,
        notifications: NotificationChange? = nil, picture: PictureReplacement? = nil,
        endsSessions: EndedSessions = .none, endsTokens: Set<OneTimeToken.Purpose> = [], claim: TokenClaim? = nil,
        enqueueing job: Job? = nil, remembering deletion: Deletion? = nil
    ) {
        self.name = name
        self.displayName = displayName
        self.passwordHash = passwordHash
        self.passwordIsHandedOut = passwordIsHandedOut
        self.ifPasswordHashIs = ifPasswordHashIs
        self.email = email
        self.ifEmailIs = ifEmailIs
        self.pendingEmail = pendingEmail
        self.liftsAddressFault = liftsAddressFault
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
        self.deletion = deletion
    }

    /// Another password. It closes all access that the old one may have given to others: links and login codes become
    /// invalid, and a pending change of address is discarded.
    /// - Parameter isHandedOut: whether somebody other than the user chose it.
    package init(
        newPassword hash: String, isHandedOut: Bool = false, endsSessions: EndedSessions, claim: TokenClaim? = nil,
        enqueueing job: Job? = nil
    ) {
        self.init(
            passwordHash: hash, passwordIsHandedOut: isHandedOut, pendingEmail: .cleared,
            // The link of a mail to the present address was opened.
            liftsAddressFault: claim?.purpose == .passwordReset, endsSessions: endsSessions, endsTokens: .intoAccount,
            claim: claim, enqueueing: job)
    }
}

extension User {
    /// The user after the change.
    package func applying(_ update: UserUpdate) -> User {
        var user = self
        user.name = update.name?.text ?? name
        switch update.displayName {
        case .set(let name): user.displayName = name.text
        case .cleared: user.displayName = nil
        case nil: break
        }
        user.passwordHash = update.passwordHash ?? passwordHash
        user.passwordIsHandedOut = update.passwordIsHandedOut ?? passwordIsHandedOut
        user.email = update.email?.address ?? email
        user.emailSetOn = update.email?.setOn ?? emailSetOn
        switch update.pendingEmail {
        case .set(let address): user.pendingEmail = address
        case .cleared: user.pendingEmail = nil
        case nil: break
        }
        if update.liftsAddressFault || update.email != nil { user.addressFault = nil }
        user.isDisabled = update.isDisabled ?? isDisabled
        user.defaultTeamID = update.defaultTeamID ?? defaultTeamID
        user.role = update.role ?? role
        user.locale = update.locale ?? locale
        user.notifications = update.notifications?.applied(to: notifications) ?? notifications
        if let replacement = update.picture { user.picture = replacement.new }
        return user
    }
}

extension UserUpdate {
    /// Whether the conditions on the stored values are met.
    package func isPossible(for user: User) -> Bool {
        (ifPasswordHashIs == nil || ifPasswordHashIs == user.passwordHash)
            && (ifLocaleIs == nil || ifLocaleIs == user.locale) && (ifRoleIs == nil || ifRoleIs == user.role)
            && (ifEmailIs == nil || ifEmailIs == user.email)
            && (picture == nil || picture?.old == user.picture?.id)
    }
}
