import GRDB

extension Database {
    /// Applies a user's change in this transaction, with all its consequences.
    /// - Throws: as `UserStore.update`.
    func update(_ id: User.ID, _ update: UserUpdate) throws {
        guard let user = try user(id: id.description) else { throw AppError.noSuchUser }
        if let claim = update.claim { try take(claim) { $0.counts(for: user) } }
        if let expected = update.ifPasswordHashIs, expected != user.passwordHash { throw AppError.changedMeanwhile }
        if let expected = update.ifLocaleIs, expected != user.locale { throw AppError.changedMeanwhile }
        if let picture = update.picture, picture.old != user.picture?.id { throw AppError.changedMeanwhile }
        if let expected = update.ifRoleIs, expected != user.role { throw AppError.changedMeanwhile }
        try refuseUnlessAdmin(update.ifAdmin)
        let isDemoted = update.role.map { $0 != .admin } ?? false
        if isDemoted || update.isDisabled == true { try refuseIfLastAdmin(id.description) }
        let emailFolded = update.email.map { EmailAddress.folded($0.address) }
        if let emailFolded {
            let taken = try contains(
                "SELECT 1 FROM users WHERE emailFolded = ? AND id <> ?", [emailFolded, id.description])
            guard !taken else { throw AppError.emailTaken }
        }
        if let email = update.email {
            try addReceipts(of: user, secret: email.secret)
            var user = user
            user.email = email.address
            try takeReceipts(of: user, in: nil, secret: email.secret)
        }
        try change(update, of: id, emailFolded: emailFolded)
        try endSessions(update, of: id)
        for purpose in update.endsTokens { try deleteTokens(purpose: purpose, subject: id.description) }
        if let job = update.job { _ = try enqueue(job) }
    }

    /// - Throws: `AppError.changedMeanwhile` if this user, if given, is no longer an administrator who can log in.
    func refuseUnlessAdmin(_ admin: User.ID?) throws {
        guard let admin else { return }
        guard try user(id: admin.description)?.isActiveAdmin == true else { throw AppError.changedMeanwhile }
    }

    /// - Throws: `AppError.lastAdmin` if this user is the only admin who can log in.
    func refuseIfLastAdmin(_ user: String) throws {
        let isLastAdmin = try contains(
            """
            SELECT 1 FROM users WHERE id = ?1 AND role = 'admin' AND isDisabled = 0 AND NOT EXISTS (
                SELECT 1 FROM users WHERE role = 'admin' AND isDisabled = 0 AND id <> ?1
            )
            """,
            [user])
        guard !isLastAdmin else { throw AppError.lastAdmin }
    }

    private func change(_ update: UserUpdate, of id: User.ID, emailFolded: String?) throws {
        let pendingEmail: String? = if case .set(let email) = update.pendingEmail { email } else { nil }
        try change(
            """
            UPDATE users SET passwordHash = coalesce(:passwordHash, passwordHash),
                email = coalesce(:email, email), emailFolded = coalesce(:emailFolded, emailFolded),
                pendingEmail = iif(:changesPendingEmail, :pendingEmail, pendingEmail),
                isDisabled = coalesce(:isDisabled, isDisabled), defaultTeam = coalesce(:defaultTeam, defaultTeam),
                role = coalesce(:role, role), locale = coalesce(:locale, locale),
                notifiesByPush = coalesce(:notifiesByPush, notifiesByPush),
                notifiesByMail = coalesce(:notifiesByMail, notifiesByMail),
                picture = iif(:changesPicture, :picture, picture),
                pictureUploadedAt = iif(:changesPicture, :pictureUploadedAt, pictureUploadedAt)
            WHERE id = :id
            """,
            [
                "id": id.description, "passwordHash": update.passwordHash, "email": update.email?.address,
                "emailFolded": emailFolded, "changesPendingEmail": update.pendingEmail != nil,
                "pendingEmail": pendingEmail, "isDisabled": update.isDisabled,
                "defaultTeam": update.defaultTeamID?.description, "role": update.role?.rawValue,
                "locale": update.locale, "notifiesByPush": update.notifications?.push,
                "notifiesByMail": update.notifications?.mail, "changesPicture": update.picture != nil,
                "picture": update.picture?.new?.id.description,
                "pictureUploadedAt": update.picture?.new?.uploadedAt.milliseconds,
            ])
    }

    private func endSessions(_ update: UserUpdate, of id: User.ID) throws {
        if update.isDisabled == true {
            try endSessions(of: id)
            // Devices of sessions were removed with them; an imported device has no session.
            try change("DELETE FROM devices WHERE user = ?", [id.description])
        }
        switch update.endsSessions {
        case .none: break
        case .all: try endSessions(of: id)
        case .allExcept(let kept): try endSessions(of: id, except: kept)
        }
    }
}
