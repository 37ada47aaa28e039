import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Tokens that are consumed in the transaction of the action they allow.
@Suite struct TokenClaimContract {
    private static let now = Instants.now

    @Test(arguments: StoreUnderTest.all)
    func `A change uses up its token with the others of its purpose and subject`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let (text, used) = try await stores.link(.passwordReset, to: user)
            let (_, sibling) = try await stores.link(.passwordReset, to: user)
            let (_, otherPurpose) = try await stores.link(.logIn, to: user)
            let (_, otherSubject) = try await stores.link(.passwordReset, to: try await stores.makeUser())
            let claim = TokenClaim(text, for: .passwordReset, at: Self.now)
            try await stores.update(id: user.id, UserUpdate(passwordHash: "new", claim: claim))
            #expect(try await stores.user(user.id)?.passwordHash == "new")
            for token in [used, sibling] { #expect(try await stores.has(token) == false) }
            for token in [otherPurpose, otherSubject] { #expect(try await stores.has(token)) }
            await expectRejection(.unprocessable, reason: .linkExpired) {
                try await stores.update(id: user.id, UserUpdate(passwordHash: "again", claim: claim))
            }
            #expect(try await stores.user(user.id)?.passwordHash == "new")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A token that is invalid for the user changes nothing`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            try await stores.update(id: user.id, UserUpdate(pendingEmail: .set("new@example.org")))
            let disabled = try await stores.makeUser()
            let disabledsLink = try await stores.link(.passwordReset, to: disabled)
            try await stores.update(id: disabled.id, UserUpdate(isDisabled: true))
            let reset = OneTimeToken.Purpose.passwordReset
            let expired = Self.now + reset.lifetime
            let own = try await stores.link(reset, to: user)
            let cases: [(String, User, String, OneTimeToken.Purpose, Date)] = [
                ("made up", user, "made up", reset, Self.now),
                ("expired", user, own.text, reset, expired),
                ("for something else", user, own.text, .emailChange, Self.now),
                ("another user's", user, try await stores.link(reset, to: stores.makeUser()).text, reset, Self.now),
                (
                    "to a former address", user, try await stores.link(reset, to: user, at: "x@y.at").text, reset,
                    Self.now
                ),
                (
                    "to an address that is wanted no more", user,
                    try await stores.link(.emailChange, to: user, at: user.email).text, .emailChange, Self.now
                ),
                ("of a disabled account", disabled, disabledsLink.text, reset, Self.now),
            ]
            for (what, owner, text, purpose, now) in cases {
                let before = try await stores.state(of: owner)
                await expectRejection(.unprocessable, reason: .linkExpired) {
                    let claim = TokenClaim(text, for: purpose, at: now)
                    let update = UserUpdate(
                        passwordHash: "thief", endsSessions: .all, endsTokens: .intoAccount, claim: claim)
                    try await stores.update(id: owner.id, update)
                }
                #expect(try await stores.state(of: owner) == before, "\(what)")
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A change that is refused leaves its token valid`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let other = try await stores.makeUser()
            try await stores.update(id: user.id, UserUpdate(passwordHash: "present", pendingEmail: .set(other.email)))
            let (text, token) = try await stores.link(.emailChange, to: user, at: other.email)
            let claim = TokenClaim(text, for: .emailChange, at: Self.now)
            let updates: [(UserUpdate, AppError.Reason)] = [
                (UserUpdate(email: .init(other.email, secret: TestTeam.secret), claim: claim), .emailTaken),
                (UserUpdate(ifPasswordHashIs: "former", email: "free@example.org", claim: claim), .changedMeanwhile),
            ]
            for (update, reason) in updates {
                let before = try await stores.state(of: user)
                await expectRejection(.conflict, reason: reason) {
                    try await stores.update(id: user.id, update)
                }
                #expect(try await stores.state(of: user) == before)
                #expect(try await stores.has(token))
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of twenty concurrent uses of a token, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            // All use one link, then each has its own.
            for isShared in [true, false] {
                var links: [String] = []
                for _ in 0..<20 { links.append(try await stores.link(.passwordReset, to: user).text) }
                let all = links
                let wins = try await concurrently(all.count) { number in
                    let claim = TokenClaim(all[isShared ? 0 : number], for: .passwordReset, at: Self.now)
                    return try await stores.counts {
                        try await stores.update(id: user.id, UserUpdate(passwordHash: "\(number)", claim: claim))
                    } ? "\(number)" : nil
                }
                #expect(wins.compactMap { $0 } == [try await stores.user(user.id)?.passwordHash])
                #expect(try await stores.read { try $0.tokens(of: user.id.description) }.isEmpty)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of ten who log in with a code at once, one has a session`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let (text, _) = try await stores.link(.logIn, to: user)
            let (_, sibling) = try await stores.link(.logIn, to: user)
            let wins = try await concurrently(10) { _ in
                let session = Session(
                    userID: user.id, device: "x", expires: Self.now + 60,
                    lastUsed: CalendarDay(instant: Self.now, in: .gmt))
                return try await stores.counts {
                    try await stores.transaction {
                        try $0.add(session, claiming: TokenClaim(text, for: .logIn, at: Self.now))
                    }
                } ? session.id : nil
            }
            #expect(
                wins.compactMap { $0 } == (try await stores.sessions(of: user.id, at: Self.now).map(\.id)))
            #expect(wins.compactMap { $0 }.count == 1)
            #expect(try await stores.has(sibling) == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An invalid code begins no session and ends none`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            for _ in 0..<Session.maximumPerUser { _ = try await stores.makeSession(of: user) }
            let (text, _) = try await stores.link(.logIn, to: try await stores.makeUser())
            let before = try await stores.state(of: user)
            await expectRejection(.unprocessable, reason: .linkExpired) {
                let session = Session(
                    userID: user.id, device: "x", expires: Self.now + 60,
                    lastUsed: CalendarDay(instant: Self.now, in: .gmt))
                try await stores.transaction {
                    try $0.add(session, claiming: TokenClaim(text, for: .logIn, at: Self.now))
                }
            }
            #expect(try await stores.state(of: user) == before)
        }
    }
}

/// The very first admin.
@Suite struct FirstAdminContract {
    @Test(arguments: StoreUnderTest.all)
    func `The first admin uses up every link`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (link, other) = (try await stores.setupLink(), try await stores.setupLink())
            let user = try User.first("Anna")
            let team = Team(name: "Blue")
            try await stores.transaction {
                try $0.addFirstAdmin(user, leading: team, claiming: link.claim, secret: Voter.secret)
            }
            #expect(try await stores.users(after: nil, limit: 10).map(\.id) == [user.id])
            #expect(try await stores.read { try $0.teams(of: user.id) }.map(\.role) == [.lead])
            #expect(try await stores.team(team.id)?.memberCount == 1)
            #expect(try await stores.reminderSettings(of: team.id) == .ofNewTeam)
            for token in [link.token, other.token] { #expect(try await stores.has(token) == false) }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `While there is an admin or no link, nobody is the first`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let link = try await stores.setupLink()
            let expired = TokenClaim(link.text, for: .setup, at: link.token.expires)
            for claim in [expired, TokenClaim("made up", for: .setup, at: Instants.now)] {
                await expectRejection(.unprocessable, reason: .linkExpired) {
                    try await stores.transaction {
                        try $0.addFirstAdmin(
                            try User.first("Anna"), leading: Team(name: "Blue"), claiming: claim, secret: Voter.secret)
                    }
                }
            }
            #expect(try await stores.users(after: nil, limit: 10).isEmpty)
            let berta = try User.first("Berta")
            try await stores.insert(berta)
            await expectRejection(.unprocessable, reason: .linkExpired) {
                try await stores.transaction {
                    try $0.addFirstAdmin(
                        try User.first("Anna"), leading: Team(name: "Blue"), claiming: link.claim, secret: Voter.secret)
                }
            }
            #expect(try await stores.users(after: nil, limit: 10) == [berta])
            #expect(try await stores.has(link.token))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of twenty who would be first at once, one is`(kind: StoreUnderTest) async throws {
        // All use one link, then two links as printed by two processes.
        for links in [1, 2] {
            try await kind.withStores { stores in
                var claims: [TokenClaim] = []
                for _ in 0..<links { claims.append(try await stores.setupLink().claim) }
                let all = claims
                let wins = try await concurrently(20) { number in
                    let user = try User.first("user\(number)")
                    return try await stores.counts {
                        try await stores.transaction {
                            try $0.addFirstAdmin(
                                user, leading: Team(name: "Team \(number)"), claiming: all[number % all.count],
                                secret: Voter.secret)
                        }
                    } ? user.id : nil
                }
                #expect(wins.compactMap { $0 }.count == 1)
                #expect(wins.compactMap { $0 } == (try await stores.users(after: nil, limit: 30).map(\.id)))
                #expect(try await stores.read { try $0.teams(matching: nil, after: nil, limit: 30) }.count == 1)
            }
        }
    }
}

extension User {
    fileprivate static func first(_ name: String) throws -> User {
        User(name: try UserName(name), email: try EmailAddress("\(name)@example.org"), role: .admin)
    }
}

/// Registrations that become accounts.
@Suite struct RegistrationConfirmationContract {
    private static let now = Instants.now

    @Test(arguments: StoreUnderTest.all)
    func `A confirmed registration becomes a user and nothing else`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let registration = try await stores.register("Anna")
            let link = try await stores.link(to: registration)
            let sibling = try await stores.link(to: registration)
            let user = try registration.user
            try await stores.transaction { try $0.confirmRegistration(registration.id, as: user, claiming: link.claim) }
            #expect(try await stores.user(user.id) == user)
            #expect(try await stores.read { try $0.registration(registration.id) } == nil)
            for token in [link.token, sibling.token] { #expect(try await stores.has(token) == false) }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A taken name or address leaves registration and link as they are`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for (name, email, reason) in [
                ("ANNA", "else@example.org", AppError.Reason.nameTaken), ("else", "Berta@Example.org", .emailTaken),
            ] {
                try await stores.insert(User(name: try UserName(name), email: try EmailAddress(email)))
                let registration = try await stores.register(reason == .nameTaken ? "Anna" : "Berta")
                let link = try await stores.link(to: registration)
                await expectRejection(.conflict, reason: reason) {
                    try await stores.transaction {
                        try $0.confirmRegistration(registration.id, as: try registration.user, claiming: link.claim)
                    }
                }
                #expect(try await stores.read { try $0.registration(registration.id) } == registration)
                #expect(try await stores.has(link.token))
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A link that is invalid for a registration creates nobody`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let registration = try await stores.register("Anna")
            let other = try await stores.link(to: try await stores.register("Berta"))
            let elsewhere = try await stores.link(to: registration, at: "former@example.org")
            let own = try await stores.link(to: registration)
            let expired = TokenClaim(own.text, for: .registration, at: own.token.expires)
            for claim in [other.claim, elsewhere.claim, expired] {
                await expectRejection(.unprocessable, reason: .linkExpired) {
                    try await stores.transaction {
                        try $0.confirmRegistration(registration.id, as: try registration.user, claiming: claim)
                    }
                }
            }
            #expect(try await stores.users(after: nil, limit: 10).isEmpty)
            #expect(try await stores.read { try $0.registration(registration.id) } == registration)
            for token in [other.token, elsewhere.token, own.token] { #expect(try await stores.has(token)) }

            try await stores.write { try $0.deleteRegistration(registration.id) }
            await expectRejection(.unprocessable, reason: .linkExpired) {
                try await stores.transaction {
                    try $0.confirmRegistration(registration.id, as: try registration.user, claiming: own.claim)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of twenty who confirm a registration at once, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let registration = try await stores.register("Anna")
            var claims: [TokenClaim] = []
            for _ in 0..<2 { claims.append(try await stores.link(to: registration).claim) }
            let all = claims
            let wins = try await concurrently(20) { number in
                let user = try registration.user
                return try await stores.counts {
                    try await stores.transaction {
                        try $0.confirmRegistration(registration.id, as: user, claiming: all[number % 2])
                    }
                } ? user.id : nil
            }
            #expect(
                wins.compactMap { $0 } == (try await stores.users(after: nil, limit: 10).map(\.id)))
            #expect(wins.compactMap { $0 }.count == 1)
        }
    }
}

extension Registration {
    /// The user to create; with another id each time.
    fileprivate var user: User {
        get throws {
            User(
                name: try UserName(name), email: try EmailAddress(email), role: role, passwordHash: passwordHash,
                locale: locale)
        }
    }
}

/// A link's token when it is created.
private struct MadeLink {
    let text: String
    let token: OneTimeToken

    var claim: TokenClaim { TokenClaim(text, for: token.purpose, at: Instants.now) }
}

/// The data that a rejected change must not affect.
private struct UserState: Equatable {
    let user: User?
    let sessions: [Session]
    let tokens: [OneTimeToken]
}

extension Stores {
    fileprivate func state(of user: User) async throws -> UserState {
        UserState(
            user: try await self.user(user.id),
            sessions: try await sessions(of: user.id, at: .distantPast),
            tokens: try await read { try $0.tokens(of: user.id.description) })
    }

    fileprivate func register(_ name: String) async throws -> Registration {
        let registration = Registration(
            name: name, email: "\(name)@example.org", passwordHash: "$2b$12$x", role: .guest, locale: "de",
            expires: Instants.now + 7 * Instants.day)
        try await write { try $0.put(registration) }
        return registration
    }

    fileprivate func link(to registration: Registration, at address: String? = nil) async throws -> MadeLink {
        let (text, token) = OneTimeToken.make(
            .registration, subject: registration.id.description, email: address ?? registration.email,
            at: Instants.now)
        try await insert(token)
        return MadeLink(text: text, token: token)
    }

    fileprivate func setupLink() async throws -> MadeLink {
        let (text, token) = OneTimeToken.make(.setup, subject: "installation", email: "", at: Instants.now)
        try await insert(token)
        return MadeLink(text: text, token: token)
    }

    /// Whether the link was valid for `body`.
    fileprivate func counts(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch let error as AppError where error == .linkExpired {
            return false
        }
    }
}
