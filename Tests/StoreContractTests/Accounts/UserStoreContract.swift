import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct UserStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `A user is found as inserted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let user = User(
                name: try UserName("Ümit Ö."), displayName: try DisplayName("Ümit Öztürk"),
                email: try EmailAddress("Umit@Example.org"),
                pendingEmail: try EmailAddress("Oezil@Example.org"), role: .guest, passwordHash: "$2b$12$x",
                isDisabled: true, defaultTeamID: team.id, locale: "de",
                notifications: NotificationSettings(
                    push: false, mail: true, results: true, hour: 0, daysOff: [.wednesday, .sunday]),
                createdOn: try #require(CalendarDay("2026-01-08")),
                addressFault: AddressFault(kind: .complained, since: try #require(CalendarDay("2026-01-09"))),
                passwordIsHandedOut: true)
            try await stores.insert(user)
            #expect(try await stores.user(user.id) == user)
            #expect(try await stores.user(.random()) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Names change, unless another user has the user name`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (anna, bert) = (try await stores.makeUser("anna"), try await stores.makeUser("bert"))
            await expectRejection(.conflict, reason: .nameTaken) {
                try await stores.update(id: anna.id, UserUpdate(name: try UserName("BERT")))
            }
            try await stores.update(
                id: anna.id, UserUpdate(name: try UserName("ANNA"), displayName: .set(try DisplayName("Bert"))))
            let changed = try await stores.user(anna.id)
            #expect(changed?.name == "ANNA" && changed?.displayName == "Bert" && changed?.shownName == "Bert")
            try await stores.update(id: bert.id, UserUpdate(name: try UserName("berta")))
            #expect(try await stores.user(login: "bert") == nil)
            try await stores.update(id: anna.id, UserUpdate(name: try UserName("bert"), displayName: .cleared))
            #expect(try await stores.user(login: "bert")?.shownName == "bert")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of several who take one name at once, one gets it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var users: [User] = []
            for _ in 0..<6 { users.append(try await stores.makeUser()) }
            let people = users
            let taken = try await concurrently(people.count) { number in
                do {
                    try await stores.update(id: people[number].id, UserUpdate(name: try UserName("wanted")))
                    return true
                } catch let error as AppError where error.reason == .nameTaken {
                    return false
                }
            }
            #expect(taken.count { $0 } == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A log-in is a name or an address, in any case`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = User(name: try UserName("Ümit"), email: try EmailAddress("Umit@Example.org"))
            try await stores.insert(user)
            for login in ["Ümit", "üMIT", " ümit ", "Umit@Example.org", "umit@EXAMPLE.ORG"] {
                #expect(try await stores.user(login: login)?.id == user.id, "\(login)")
            }
            for login in ["umit", "Ümit@", "example.org", "", "@", "$ne", "%"] {
                #expect(try await stores.user(login: login) == nil, "\(login)")
            }
        }
    }

    /// A library that passes a text only up to its first NUL would find another user.
    @Test(arguments: StoreUnderTest.all)
    func `A text keeps its length even with a NUL in it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser("anna")
            for login in ["anna\0", "anna\0x", "\0anna", "\(user.email)\0"] {
                #expect(try await stores.user(login: login) == nil, "\(login.debugDescription)")
            }
            let day = try #require(CalendarDay("2026-01-08"))
            let session = Session(
                userID: user.id, device: "\0phone\0x\0", expires: Instants.now + Instants.day, lastUsed: day)
            try await stores.insert(session)
            #expect(try await stores.sessions(of: user.id, at: Instants.now) == [session])
            try await stores.update(id: user.id, UserUpdate(locale: "de\0x"))
            #expect(try await stores.user(user.id)?.locale == "de\0x")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Names and addresses are unique in any case`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            try await stores.insert(User(name: try UserName("Anna"), email: try EmailAddress("anna@example.org")))
            await expectRejection(.conflict, reason: .nameTaken) {
                try await stores.insert(User(name: try UserName("aNNA"), email: try EmailAddress("b@example.org")))
            }
            await expectRejection(.conflict, reason: .emailTaken) {
                try await stores.insert(User(name: try UserName("Berta"), email: try EmailAddress("ANNA@example.ORG")))
            }
            #expect(try await stores.users(after: nil, limit: 10).map(\.name) == ["Anna"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who take a name at once, one gets it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let inserted = try await concurrently(20) { number in
                do {
                    try await stores.insert(
                        User(name: try UserName("Anna"), email: try EmailAddress("anna\(number)@example.org")))
                    return true
                } catch let error as AppError {
                    #expect(error.reason == .nameTaken)
                    return false
                }
            }
            #expect(inserted.count(where: { $0 }) == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Users are listed by folded name in pages`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for name in ["berta", "Anna", "DORA", "Cäsar"] {
                _ = try await stores.makeUser(name)
            }
            let first = try await stores.users(after: nil, limit: 3)
            #expect(first.map(\.name) == ["Anna", "berta", "Cäsar"])
            let last = try #require(first.last)
            let second = try await stores.users(after: UserName.folded(last.name), limit: 3)
            #expect(second.map(\.name) == ["DORA"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An update changes only its own fields`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            var user = try await stores.makeUser()
            try await stores.update(id: user.id, UserUpdate(passwordHash: "hash"))
            user.passwordHash = "hash"
            #expect(try await stores.user(user.id) == user)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.update(id: user.id, UserUpdate(defaultTeamID: team.id))
            }
            try await stores.add(Membership(teamID: team.id, userID: user.id))
            let second = try await stores.makeTeam("second")
            try await stores.add(Membership(teamID: second.id, userID: user.id))
            try await stores.update(id: user.id, UserUpdate(defaultTeamID: second.id, role: .admin))
            user.defaultTeamID = second.id
            user.role = .admin
            #expect(try await stores.user(user.id) == user)
            try await stores.update(id: user.id, UserUpdate())
            #expect(try await stores.user(user.id) == user)
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.update(id: .random(), UserUpdate(role: .admin))
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The mark of a handed-out password goes with another password, and stays with another hash`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            var user = try await stores.makeUser()
            #expect(!user.passwordIsHandedOut)
            let updates: [(update: UserUpdate, hash: String, isHandedOut: Bool)] = [
                (UserUpdate(newPassword: "a", isHandedOut: true, endsSessions: .none), "a", true),
                (UserUpdate(passwordHash: "b", ifPasswordHashIs: "a"), "b", true),
                (UserUpdate(locale: user.locale), "b", true),
                (UserUpdate(newPassword: "c", endsSessions: .none), "c", false),
                (UserUpdate(passwordHash: "d", ifPasswordHashIs: "c"), "d", false),
            ]
            for (update, hash, isHandedOut) in updates {
                try await stores.update(id: user.id, update)
                user.passwordHash = hash
                user.passwordIsHandedOut = isHandedOut
                #expect(try await stores.user(user.id) == user, "\(hash)")
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Disabling a user ends their sessions and nobody else's`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let disabled = try await stores.makeStranger()
            let other = try await stores.makeStranger()
            try await stores.update(id: disabled.user.id, UserUpdate(isDisabled: true))
            #expect(try await stores.session(disabled.session.id) == nil)
            #expect(try await stores.session(other.session.id) != nil)
            #expect(try await stores.user(disabled.user.id)?.isDisabled == true)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Address, language and notifications are changed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var user = try await stores.makeUser()
            func update(_ update: UserUpdate) async throws -> User? {
                try await stores.update(id: user.id, update)
                return try await stores.user(user.id)
            }
            user.pendingEmail = "Anna@Example.org"
            #expect(try await update(UserUpdate(pendingEmail: .set("Anna@Example.org"))) == user)
            #expect(try await stores.user(login: "anna@example.org") == nil)

            user.locale = "de"
            user.notifications = NotificationSettings(push: true, mail: true, results: true)
            #expect(try await update(UserUpdate(locale: "de", notifications: .init(results: true))) == user)
            user.notifications.mail = false
            #expect(try await update(UserUpdate(notifications: .init(mail: false))) == user)

            let formerEmail = user.email
            user.email = "Anna@Example.org"
            user.pendingEmail = nil
            #expect(
                try await update(UserUpdate(email: .init(user.email, secret: TestTeam.secret), pendingEmail: .cleared))
                    == user)
            let day = CalendarDay(instant: Instants.now, in: .gmt)
            user.email = "Anna@Set.example"
            user.emailSetOn = day
            let given = UserUpdate.NewEmail(user.email, secret: TestTeam.secret, setOn: day)
            #expect(try await update(UserUpdate(email: given, ifEmailIs: "Anna@Example.org")) == user)
            // The day stays when the user changes the address.
            user.email = "Anna@Example.org"
            #expect(try await update(UserUpdate(email: .init(user.email, secret: TestTeam.secret))) == user)
            await expectRejection(.conflict, reason: .changedMeanwhile) {
                try await stores.update(id: user.id, UserUpdate(email: given, ifEmailIs: "Anna@Set.example"))
            }
            #expect(try await stores.user(login: "anna@example.org") == user)
            #expect(try await stores.user(login: formerEmail) == nil)

            user.email = "anna@example.org"
            #expect(
                try await update(UserUpdate(email: .init(user.email, secret: TestTeam.secret))) == user,
                "one's own address in another case")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An address that is taken is refused, and nothing changes`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let other = try await stores.makeUser()
            await expectRejection(.conflict, reason: .emailTaken) {
                try await stores.update(
                    id: user.id,
                    UserUpdate(
                        email: .init(other.email.uppercased(), secret: TestTeam.secret), pendingEmail: .cleared,
                        locale: "de"))
            }
            #expect(try await stores.user(user.id) == user)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who move to an address at once, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let moved = try await concurrently(20) { number in
                let user = try await stores.makeUser()
                do {
                    let email = number.isMultiple(of: 2) ? "anna@example.org" : "Anna@Example.org"
                    try await stores.update(id: user.id, UserUpdate(email: .init(email, secret: TestTeam.secret)))
                    return true
                } catch let error as AppError {
                    #expect(error.reason == .emailTaken)
                    return false
                }
            }
            #expect(moved.count(where: { $0 }) == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A password is replaced only if it is the expected one`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            // No password cannot match an expected one.
            await expectRejection(.conflict, reason: .changedMeanwhile) {
                try await stores.update(id: user.id, UserUpdate(passwordHash: "b", ifPasswordHashIs: "a"))
            }
            try await stores.update(id: user.id, UserUpdate(passwordHash: "a"))
            let changed = try await concurrently(10) { number in
                do {
                    try await stores.update(id: user.id, UserUpdate(passwordHash: "b\(number)", ifPasswordHashIs: "a"))
                    return true
                } catch let error as AppError {
                    #expect(error.reason == .changedMeanwhile)
                    return false
                }
            }
            #expect(changed.count(where: { $0 }) == 1)
            #expect(try await stores.user(user.id)?.passwordHash?.hasPrefix("b") == true)
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.update(id: .random(), UserUpdate(ifPasswordHashIs: "a", locale: "de"))
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Enabled users are counted by role`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            #expect(try await stores.read { try $0.userCount(role: .admin) } == 0)
            for name in ["Anna", "Berta", "Carl"] {
                let user = try await stores.makeUser(name)
                try await stores.update(id: user.id, UserUpdate(isDisabled: name == "Carl", role: .admin))
            }
            _ = try await stores.makeUser()
            #expect(try await stores.read { try $0.userCount(role: .admin) } == 2)
            #expect(try await stores.read { try $0.userCount(role: .member) } == 1)
            #expect(try await stores.read { try $0.userCount(role: .guest) } == 0)
        }
    }
}
