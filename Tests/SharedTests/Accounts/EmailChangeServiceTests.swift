import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct EmailChangeServiceTests {
    private static let new = "anna@new.example"

    /// Anna, logged in.
    private func anna(_ links: MailedLinks) async throws -> (user: User, principal: Principal) {
        let user = try await links.accounts.addUser()
        return (user, Principal(userID: user.id, sessionID: try await links.accounts.logIn().sessionID))
    }

    private func request(_ address: String, _ links: MailedLinks, _ principal: Principal) async throws {
        try await links.emails.request(try EmailAddress(address), password: Accounts.password, by: principal)
    }

    @Test(arguments: StoreUnderTest.all)
    func `The new address is valid once its link is used, and the old one is told`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let (user, principal) = try await anna(links)
            try await request(Self.new, links, principal)
            let waiting = try await links.user(user.id)
            #expect(waiting?.email == user.email)
            #expect(waiting?.pendingEmail == Self.new)
            #expect(try await links.mails(.emailChange) == [#"{"userID":"\#(user.id)"}"#])

            let link = try await links.link(.emailChange, to: user, at: Self.new)
            #expect(try await links.emails.account(of: link).pendingEmail == Self.new)
            #expect(try await links.user(user.id)?.email == user.email, "looking at a link changes nothing")
            try await links.emails.confirm(link)
            let changed = try await links.user(user.id)
            #expect(changed?.email == Self.new)
            #expect(changed?.pendingEmail == nil)
            #expect(
                try await links.mails(.emailChanged) == [#"{"oldEmail":"\#(user.email)","userID":"\#(user.id)"}"#])
            #expect(try await rejection { try await links.emails.confirm(link) } == .linkExpired)
            _ = try await links.accounts.logIn(Self.new)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A wrong password and the current address are refused`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let (user, principal) = try await anna(links)
            let wrong = try await rejection {
                try await links.emails.request(try EmailAddress(Self.new), password: "wrong", by: principal)
            }
            #expect(wrong?.reason == .wrongPassword)
            let same = try await rejection { try await request("ANNA@example.org", links, principal) }
            #expect(same?.reason == .emailUnchanged)
            #expect(try await links.user(user.id)?.pendingEmail == nil)
            #expect(try await links.mails(.emailChange).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A later request ends the links of an earlier one`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let (user, principal) = try await anna(links)
            try await request(Self.new, links, principal)
            let first = try await links.link(.emailChange, to: user, at: Self.new)
            try await request("other@new.example", links, principal)
            // Created by a worker that had read the first address.
            let late = try await links.link(.emailChange, to: user, at: Self.new)
            for link in [first, late] {
                #expect(try await rejection { try await links.emails.confirm(link) } == .linkExpired)
            }
            try await links.emails.confirm(try await links.link(.emailChange, to: user, at: "other@new.example"))
            #expect(try await links.user(user.id)?.email == "other@new.example")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An address that is taken is not revealed at first and cannot be confirmed`(
        store: StoreUnderTest
    ) async throws {
        try await MailedLinks.with(store) { links in
            let (user, principal) = try await anna(links)
            try await links.accounts.addUser("Bert")
            try await request("bert@example.org", links, principal)
            let link = try await links.link(.emailChange, to: user, at: "bert@example.org")
            #expect(try await rejection { try await links.emails.confirm(link) }?.reason == .emailTaken)
            #expect(try await links.user(user.id)?.email == user.email)
            #expect(try await links.user(user.id)?.pendingEmail == nil)
            #expect(try await links.mails(.emailChanged).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who use a link at the same moment, one wins`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let (user, principal) = try await anna(links)
            try await request(Self.new, links, principal)
            let link = try await links.link(.emailChange, to: user, at: Self.new)
            let emails = links.emails
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await rejection { try await emails.confirm(link) } == nil }
                }
                return try await group.filter { $0 }.reduce(0) { count, _ in count + 1 }
            }
            #expect(wins == 1)
            #expect(try await links.mails(.emailChanged).count == 1)
        }
    }

    /// The mails go to unconfirmed addresses.
    @Test(arguments: StoreUnderTest.all)
    func `An account gets five mails an hour for new addresses`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let (_, principal) = try await anna(links)
            for number in 0..<EmailChangeService.mailLimit {
                try await request("anna\(number)@new.example", links, principal)
            }
            let error = try await rejection { try await request(Self.new, links, principal) }
            #expect(error?.reason == .tooManyMails)
            #expect(error?.retryAfter == 3_600)
            #expect(try await links.mails(.emailChange).count == EmailChangeService.mailLimit)
            links.clock.advance(by: EmailChangeService.mailWindow + 1)
            try await request(Self.new, links, principal)
        }
    }

    // MARK: - Addresses that an administrator sets

    @Test(arguments: StoreUnderTest.all)
    func `An address that an admin sets is valid at once, and ends every link`(store: StoreUnderTest) async throws {
        try await OwnAccounts.with(store) { own in
            let links = try MailedLinks(stores: own.stores)
            let admin = try await own.signIn("Admin", role: .admin).principal
            let user = try await own.accounts.addUser()
            let session = try await own.accounts.logIn()
            let reset = try await links.link(.passwordReset, to: user)
            try await own.stores.update(id: user.id, UserUpdate(pendingEmail: .set("thief@example.org")))
            let change = try await links.link(.emailChange, to: user, at: "thief@example.org")

            let given = UserChange(email: try EmailAddress(Self.new))
            let person = try await own.people().change(user.id, given, password: Accounts.password, by: admin).user
            #expect(person.email == Self.new && person.pendingEmail == nil)
            #expect(person.emailSetOn == CalendarDay(instant: own.accounts.clock.now, in: .gmt))
            #expect(try await rejection { _ = try await links.resets.account(of: reset) } == .linkExpired)
            #expect(try await rejection { try await links.emails.confirm(change) } == .linkExpired)
            #expect(try await own.accounts.refusalOfToken(session.accessToken) == nil, "sessions stay")
            _ = try await own.accounts.logIn(Self.new)
            let notice = #"{"byAdmin":true,"oldEmail":"\#(user.email)","userID":"\#(user.id)"}"#
            #expect(try await links.mails(.emailChanged) == [notice])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Nobody but an admin sets another person's address, and nobody their own`(store: StoreUnderTest) async throws {
        try await OwnAccounts.with(store) { own in
            let people = try own.people()
            let admin = try await own.signIn("Admin", role: .admin)
            let bert = try await own.signIn("Bert")
            func refusalOfChange(_ id: User.ID, to email: String, by caller: SignedIn) async throws -> AppError? {
                let change = UserChange(email: try EmailAddress(email))
                return try await rejection {
                    _ = try await people.change(id, change, password: Accounts.password, by: caller.principal)
                }
            }
            let ids = [admin.user.id, bert.user.id]
            for id in ids {
                #expect(try await refusalOfChange(id, to: Self.new, by: bert)?.reason == .notAllowed)
            }
            #expect(try await refusalOfChange(admin.user.id, to: Self.new, by: admin)?.reason == .ownAccount)
            let taken = admin.user.email.uppercased()
            #expect(try await refusalOfChange(bert.user.id, to: taken, by: admin) == .emailTaken)
            #expect(try await own.stores.read { try $0.users(ids) }.allSatisfy { $0.emailSetOn == nil })
        }
    }

    /// Who has stolen an administrator's session could otherwise set each address, and have links for new passwords
    /// sent there.
    @Test(arguments: StoreUnderTest.all)
    func `The session of an admin alone sets no address`(store: StoreUnderTest) async throws {
        try await OwnAccounts.with(store) { own in
            let people = try own.people()
            let admin = try await own.signIn("Admin", role: .admin)
            let id = try await own.accounts.addUser().id
            let user = try #require(try await own.stores.user(id))
            let given = UserChange(role: .guest, email: try EmailAddress(Self.new))
            func attempt(_ password: String?) async throws -> AppError? {
                try await rejection {
                    _ = try await people.change(user.id, given, password: password, by: admin.principal)
                }
            }
            #expect(try await attempt(nil)?.code == .malformed)
            // As many failures as are free.
            for _ in 1...5 { #expect(try await attempt("wrong")?.reason == .wrongPassword) }
            let slowed = try await attempt(Accounts.password)
            #expect(slowed?.reason == .tooManyLogIns && slowed?.retryAfter != nil)
            #expect(try await own.stores.user(user.id) == user)
            #expect(try await MailedLinks(stores: own.stores).mails(.emailChanged).isEmpty)
            // What does not lead into the account needs no password, and neither does the present address.
            let same = UserChange(isDisabled: true, email: try EmailAddress(user.email.uppercased()))
            #expect(try await people.change(user.id, same, by: admin.principal).user.isDisabled)
            own.accounts.clock.advance(by: 2)
            #expect(try await attempt(Accounts.password) == nil)
            let changed = try #require(try await own.stores.user(user.id))
            #expect(changed.email == Self.new && changed.role == .guest)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An admin without a password sets an address within ten minutes of the log-in`(
        store: StoreUnderTest
    ) async throws {
        try await OwnAccounts.with(store) { own in
            let people = try own.people()
            let admin = User(name: try UserName("Olga"), email: try EmailAddress("olga@example.org"), role: .admin)
            try await own.stores.insert(admin)
            let user = try await own.accounts.addUser()
            let now = own.accounts.clock.now
            let session = Session(
                userID: admin.id, device: "test", expires: now + 3_600,
                lastUsed: CalendarDay(instant: now, in: .gmt))
            try await own.stores.insert(session)
            let principal = Principal(userID: admin.id, sessionID: session.id, tokenIssued: now)
            let given = UserChange(email: try EmailAddress(Self.new))
            own.accounts.clock.advance(by: PasswordConfirmation.freshness + 1)
            let late = try await rejection { _ = try await people.change(user.id, given, by: principal) }
            #expect(late?.reason == .logInAgain && late?.code == .forbidden)
            own.accounts.clock.advance(by: -1)
            #expect(try await people.change(user.id, given, by: principal).user.email == Self.new)
        }
    }

    /// Each address that the account has had is told, and no other.
    @Test(arguments: StoreUnderTest.all)
    func `Of two admins who set an address at once, none leaves an address untold`(store: StoreUnderTest) async throws {
        try await OwnAccounts.with(store) { own in
            let (people, links) = (try own.people(), try MailedLinks(stores: own.stores))
            let admin = try await own.signIn("Admin", role: .admin).principal
            for round in 0..<8 {
                let user = try await own.accounts.addUser("anna\(round)")
                let one = UserChange(email: try EmailAddress("one\(round)@new.example"))
                let other = UserChange(email: try EmailAddress("other\(round)@new.example"))
                async let first = rejection {
                    _ = try await people.change(user.id, one, password: Accounts.password, by: admin)
                }
                async let second = rejection {
                    _ = try await people.change(user.id, other, password: Accounts.password, by: admin)
                }
                let refusals = try await [first, second].compactMap { $0 }
                #expect(refusals.count <= 1 && refusals.allSatisfy { $0.reason == .changedMeanwhile })
                let told = try await links.mails(.emailChanged).filter { $0.contains("\(user.id)") }
                let present = try #require(try await links.user(user.id)).email
                #expect(told.count == 2 - refusals.count)
                #expect(told.contains { $0.contains(user.email) } && !told.contains { $0.contains(present) })
            }
        }
    }
}
