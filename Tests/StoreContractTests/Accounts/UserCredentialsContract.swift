import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Sessions and links that end together with a change of a user, and who keeps their role.
@Suite struct UserCredentialsContract {
    @Test(arguments: StoreUnderTest.all)
    func `A change ends all sessions, all but one, or none`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let other = try await stores.makeStranger()
            var sessions: [Session] = []
            for _ in 0..<3 { sessions.append(try await stores.makeSession(of: user)) }
            func left(after ends: UserUpdate.EndedSessions) async throws -> Set<Session.ID> {
                try await stores.update(id: user.id, UserUpdate(passwordHash: "x", endsSessions: ends))
                return Set(try await stores.sessions(of: user.id, at: Instants.now).map(\.id))
            }
            #expect(try await left(after: .none) == Set(sessions.map(\.id)))
            #expect(try await left(after: .allExcept(sessions[1].id)) == [sessions[1].id])
            #expect(try await left(after: .allExcept(other.session.id)).isEmpty, "another user's session keeps none")
            _ = try await stores.makeSession(of: user)
            #expect(try await left(after: .all).isEmpty)
            #expect(try await stores.session(other.session.id) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A change ends tokens by purpose`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let other = try await stores.makeUser()
            let purposes = OneTimeToken.Purpose.allCases
            for owner in [user, other] {
                for purpose in purposes + purposes { _ = try await stores.link(purpose, to: owner) }
            }
            func left(of user: User) async throws -> Set<OneTimeToken.Purpose> {
                Set(try await stores.read { try $0.tokens(of: user.id.description) }.map(\.purpose))
            }
            try await stores.update(id: user.id, UserUpdate(locale: "de", endsTokens: [.emailChange]))
            #expect(try await left(of: user) == Set(purposes).subtracting([.emailChange]))
            try await stores.update(id: user.id, UserUpdate(endsTokens: .intoAccount))
            #expect(try await left(of: user) == [.invitation, .registration, .unconfirmedLogIn, .setup])
            #expect(try await left(of: other) == Set(purposes))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A new password leaves nothing that was opened before it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            try await stores.update(id: user.id, UserUpdate(pendingEmail: .set("thief@example.org")))
            _ = try await stores.makeSession(of: user)
            for purpose in Set<OneTimeToken.Purpose>.intoAccount { _ = try await stores.link(purpose, to: user) }
            let news = Job(kind: "mail", runAt: Instants.now)
            try await stores.update(id: user.id, UserUpdate(newPassword: "new", endsSessions: .all, enqueueing: news))
            let changed = try await stores.user(user.id)
            #expect(changed?.passwordHash == "new")
            #expect(changed?.pendingEmail == nil)
            #expect(try await stores.sessions(of: user.id, at: .distantPast).isEmpty)
            #expect(try await stores.read { try $0.tokens(of: user.id.description) }.isEmpty)
            #expect(try await stores.jobs.list(state: .ready, limit: 10) == [news])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A change based on a former password ends nothing`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            try await stores.update(id: user.id, UserUpdate(passwordHash: "present"))
            let session = try await stores.makeSession(of: user)
            let (_, token) = try await stores.link(.passwordReset, to: user)
            let update = UserUpdate(
                passwordHash: "new", ifPasswordHashIs: "former", endsSessions: .all, endsTokens: .intoAccount,
                enqueueing: Job(kind: "mail", runAt: Instants.now))
            await expectRejection(.conflict, reason: .changedMeanwhile) {
                try await stores.update(id: user.id, update)
            }
            #expect(try await stores.user(user.id)?.passwordHash == "present")
            #expect(try await stores.session(session.id) != nil)
            #expect(try await stores.has(token))
            #expect(try await stores.jobs.list(state: nil, limit: 10).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A change based on a former language changes nothing`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let session = try await stores.makeSession(of: user)
            await expectRejection(.conflict, reason: .changedMeanwhile) {
                try await stores.update(id: user.id, UserUpdate(locale: "de", ifLocaleIs: "fr", endsSessions: .all))
            }
            #expect(try await stores.user(user.id) == user)
            #expect(try await stores.session(session.id) != nil)
            try await stores.update(id: user.id, UserUpdate(locale: "de", ifLocaleIs: user.locale))
            #expect(try await stores.user(user.id)?.locale == "de")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The last admin who can log in keeps the role`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let admin = try await stores.makeAdmin()
            let disabled = try await stores.makeAdmin()
            try await stores.update(id: disabled.id, UserUpdate(isDisabled: true))
            let session = try await stores.makeSession(of: admin)
            for role in [User.Role.member, .guest] {
                await expectRejection(.conflict, reason: .lastAdmin) {
                    try await stores.update(id: admin.id, UserUpdate(role: role, locale: "de", endsSessions: .all))
                }
            }
            #expect(try await stores.user(admin.id) == admin)
            #expect(try await stores.session(session.id) != nil)
            try await stores.update(id: admin.id, UserUpdate(role: .admin))
            // A disabled user is not needed by anyone.
            try await stores.update(id: disabled.id, UserUpdate(role: .member))
            _ = try await stores.makeAdmin()
            try await stores.update(id: admin.id, UserUpdate(role: .member))
            #expect(try await stores.read { try $0.userCount(role: .admin) } == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two admins who lose the role at once, one keeps it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var left = try await stores.makeAdmin()
            for _ in 0..<5 {
                let ids = [left.id, try await stores.makeAdmin().id]
                let refusals = try await concurrently(ids.count) {
                    try await stores.rejection(of: UserUpdate(role: .member), for: ids[$0])
                }
                #expect(refusals.compactMap { $0 } == [.lastAdmin])
                #expect(try await stores.read { try $0.userCount(role: .admin) } == 1)
                left = try #require(try await stores.read { try $0.users(ids) }.first { $0.role == .admin })
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A right is changed only from the expected role, and by an admin`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (admin, disabled) = (try await stores.makeAdmin(), try await stores.makeAdmin())
            let (user, member) = (try await stores.makeUser(), try await stores.makeUser())
            try await stores.update(id: disabled.id, UserUpdate(isDisabled: true))
            let attempts = [
                UserUpdate(role: .guest, ifRoleIs: .admin, ifAdmin: admin.id),
                UserUpdate(isDisabled: true, ifRoleIs: .guest), UserUpdate(role: .admin, ifAdmin: member.id),
                UserUpdate(isDisabled: true, ifAdmin: disabled.id), UserUpdate(role: .admin, ifAdmin: .random()),
                UserUpdate(role: .admin, ifAdmin: user.id),
            ]
            for attempt in attempts {
                #expect(try await stores.rejection(of: attempt, for: user.id) == .changedMeanwhile)
            }
            #expect(try await stores.user(user.id) == user)
            let change = UserUpdate(role: .guest, ifRoleIs: .member, ifAdmin: admin.id)
            try await stores.update(id: user.id, change)
            #expect(try await stores.user(user.id)?.role == .guest)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The last admin is not disabled`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let admin = try await stores.makeAdmin()
            let session = try await stores.makeSession(of: admin)
            #expect(try await stores.rejection(of: UserUpdate(isDisabled: true), for: admin.id) == .lastAdmin)
            #expect(try await stores.user(admin.id) == admin)
            #expect(try await stores.session(session.id) != nil)
            _ = try await stores.makeAdmin()
            // The second time changes nothing, and a disabled user is not needed by anyone.
            for _ in 0..<2 { try await stores.update(id: admin.id, UserUpdate(isDisabled: true)) }
            #expect(try await stores.read { try $0.userCount(role: .admin) } == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two admins who disable each other at once, one stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var left = try await stores.makeAdmin()
            for _ in 0..<5 {
                let ids = [left.id, try await stores.makeAdmin().id]
                // One is disabled, the other one loses the role: either way one administrator fewer.
                let updates = [UserUpdate(isDisabled: true), UserUpdate(role: .member)].shuffled()
                for update in [[updates[0], updates[0]], updates] {
                    let refusals = try await concurrently(ids.count) {
                        try await stores.rejection(of: update[$0], for: ids[$0])
                    }
                    #expect(refusals.contains(.lastAdmin))
                    #expect(try await stores.read { try $0.userCount(role: .admin) } == 1)
                }
                left = try #require(
                    try await stores.read { try $0.users(ids) }.first { $0.role == .admin && !$0.isDisabled })
            }
        }
    }
}

extension Stores {
    /// Why a change of a user is rejected; `nil` if it succeeds.
    fileprivate func rejection(of update: UserUpdate, for id: User.ID) async throws -> AppError.Reason? {
        do {
            try await self.update(id: id, update)
            return nil
        } catch let error as AppError {
            return error.reason
        }
    }

    /// A token created like the worker does, and its text.
    func link(
        _ purpose: OneTimeToken.Purpose, to user: User, at address: String? = nil
    ) async throws -> (text: String, token: OneTimeToken) {
        let made = OneTimeToken.make(
            purpose, subject: user.id.description, email: address ?? user.email, at: Instants.now)
        try await insert(made.token)
        return made
    }
}
