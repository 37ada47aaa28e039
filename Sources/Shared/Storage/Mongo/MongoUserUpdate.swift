import Mongo

extension MongoDatabase {
    /// Makes a user's change as part of a transaction, with all that belongs to it.
    /// - Throws: as `UserStore.update`; for an address that is taken `MongoError.duplicateKey`, which ends the
    ///   transaction.
    func update(_ id: User.ID, _ update: UserUpdate, in transaction: MongoTransaction) throws {
        let users = collection(.users)
        guard let user = try user(id, in: transaction) else { throw AppError.noSuchUser }
        if let claim = update.claim { try take(claim, in: transaction) { $0.counts(for: user) } }
        if let expected = update.ifPasswordHashIs, expected != user.passwordHash { throw AppError.changedMeanwhile }
        if let expected = update.ifLocaleIs, expected != user.locale { throw AppError.changedMeanwhile }
        if let picture = update.picture, picture.old != user.picture?.id { throw AppError.changedMeanwhile }
        if let expected = update.ifRoleIs, expected != user.role { throw AppError.changedMeanwhile }
        try refuseUnlessAdmin(update.ifAdmin, in: transaction)
        // What was read still holds: had somebody written to the user since, this would be a write conflict.
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

    /// Read and not written: who takes an admin's rights writes to all the others (`keepAnAdmin`), so that of two who do it
    /// to each other one has a write conflict, is repeated, and sees here what the other did.
    /// - Throws: `AppError.changedMeanwhile` if this user, if any, may not decide about others any more.
    func refuseUnlessAdmin(_ admin: User.ID?, in transaction: MongoTransaction) throws {
        guard let admin else { return }
        guard try user(admin, in: transaction)?.isActiveAdmin == true else { throw AppError.changedMeanwhile }
    }

    /// Writes to every other admin, so that two who cease to be one at once have a write conflict: the one that is
    /// repeated sees that the other is none any more. Had they only read each other, both would cease.
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
            // Those of sessions are gone with them; an imported one has none.
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
