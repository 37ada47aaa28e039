import Mongo

extension MongoDatabase {
    /// Applies a user's change as part of a transaction, with all its consequences.
    /// - Throws: as `UserStore.update`; `MongoError.duplicateKey`, which ends the transaction, for a taken address.
    func update(_ id: User.ID, _ update: UserUpdate, in transaction: MongoTransaction) throws {
        let users = collection(.users)
        guard let user = try user(id, in: transaction) else { throw AppError.noSuchUser }
        if let claim = update.claim { try take(claim, in: transaction) { $0.counts(for: user) } }
        if let expected = update.ifPasswordHashIs, expected != user.passwordHash { throw AppError.changedMeanwhile }
        if let expected = update.ifLocaleIs, expected != user.locale { throw AppError.changedMeanwhile }
        if let picture = update.picture, picture.old != user.picture?.id { throw AppError.changedMeanwhile }
        if let expected = update.ifRoleIs, expected != user.role { throw AppError.changedMeanwhile }
        try refuseUnlessAdmin(update.ifAdmin, in: transaction)
        // The values read above are still current: a concurrent change of the user would cause a write conflict here.
        try users.updateOne(["_id": .id(id)], update.changes, in: transaction)
        if let email = update.email {
            try addReceipts(of: user, secret: email.secret, in: transaction)
            var user = user
            user.email = email.address
            try takeReceipts(of: user, in: nil, secret: email.secret, transaction)
        }
        let isDemoted = update.role.map { $0 != .admin } ?? false
        if user.role == .admin, !user.isDisabled, isDemoted || update.isDisabled == true {
            try keepAnAdmin(without: id, in: transaction)
        }
        try endSessions(update, of: id, in: transaction)
        if !update.endsTokens.isEmpty {
            let purposes = update.endsTokens.map { BSONValue.string($0.rawValue) }
            try collection(.oneTimeTokens)
                .deleteMany(["subject": .id(id), "purpose": .among(purposes)], in: transaction)
        }
        if let job = update.job { try collection(.jobs).insertOne(job.document, in: transaction) }
    }

    /// A read suffices: taking an admin's rights writes to all other admins (`keepAnAdmin`), so if two admins do it to
    /// each other, one gets a write conflict, is retried and sees the other's change here.
    /// - Throws: `AppError.changedMeanwhile` if this user, if given, is no longer an administrator who can log in.
    func refuseUnlessAdmin(_ admin: User.ID?, in transaction: MongoTransaction) throws {
        guard let admin else { return }
        guard try user(admin, in: transaction)?.isActiveAdmin == true else { throw AppError.changedMeanwhile }
    }

    /// Writes to every other admin, so that if two lose the role concurrently, one gets a write conflict; its retry
    /// sees that the other is no longer an admin. If they only read each other, both would lose it.
    /// - Throws: `AppError.lastAdmin`.
    func keepAnAdmin(without id: User.ID, in transaction: MongoTransaction) throws {
        let others = try collection(.users).updateMany(
            ["_id": ["$ne": .id(id)], "role": .string(User.Role.admin.rawValue), "isDisabled": false],
            ["$inc": ["adminDepartures": 1]], in: transaction)
        guard others.matched > 0 else { throw AppError.lastAdmin }
    }

    /// `nil` if there is none.
    func user(_ id: User.ID, in transaction: MongoTransaction) throws -> User? {
        try collection(.users).findOne(["_id": .id(id)], in: transaction).map(User.init)
    }

    private func endSessions(_ update: UserUpdate, of id: User.ID, in transaction: MongoTransaction) throws {
        if update.isDisabled == true {
            try endSessions(["user": .id(id)], in: transaction)
            // Devices of sessions were removed with them; an imported device has no session.
            try collection(.devices).deleteMany(["user": .id(id)], in: transaction)
        }
        switch update.endsSessions {
        case .none: break
        case .all: try endSessions(["user": .id(id)], in: transaction)
        case .allExcept(let kept):
            try endSessions(["user": .id(id), "_id": ["$ne": .id(kept)]], in: transaction)
        }
    }
}
