import Foundation
import Services
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
            #expect(try await refusal { try await links.emails.confirm(link) } == .linkExpired)
            _ = try await links.accounts.logIn(Self.new)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A wrong password and the current address are refused`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let (user, principal) = try await anna(links)
            let wrong = try await refusal {
                try await links.emails.request(try EmailAddress(Self.new), password: "wrong", by: principal)
            }
            #expect(wrong?.reason == "wrong-password")
            let same = try await refusal { try await request("ANNA@example.org", links, principal) }
            #expect(same?.reason == "email-unchanged")
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
                #expect(try await refusal { try await links.emails.confirm(link) } == .linkExpired)
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
            #expect(try await refusal { try await links.emails.confirm(link) }?.reason == "email-taken")
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
                    group.addTask { try await refusal { try await emails.confirm(link) } == nil }
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
            let error = try await refusal { try await request(Self.new, links, principal) }
            #expect(error?.reason == "too-many-mails")
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
            let admin = Caller.user(try await own.accounts.addUser("Admin", role: .admin).id)
            let user = try await own.accounts.addUser()
            let session = try await own.accounts.logIn()
            let reset = try await links.link(.passwordReset, to: user)
            try await own.stores.users.update(id: user.id, UserUpdate(pendingEmail: .set("thief@example.org")))
            let change = try await links.link(.emailChange, to: user, at: "thief@example.org")

            let given = PersonChange(email: try EmailAddress(Self.new))
            let person = try await own.people().change(user.id, given, by: admin).user
            #expect(person.email == Self.new && person.pendingEmail == nil)
            #expect(person.emailSetOn == CalendarDay(instant: own.accounts.clock.now, in: .gmt))
            #expect(try await refusal { _ = try await links.resets.account(of: reset) } == .linkExpired)
            #expect(try await refusal { try await links.emails.confirm(change) } == .linkExpired)
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
            let admin = try await own.accounts.addUser("Admin", role: .admin)
            let bert = try await own.accounts.addUser("Bert")
            let given = PersonChange(email: try EmailAddress(Self.new))
            for id in [bert.id, admin.id] {
                let refused = try await refusal { _ = try await people.change(id, given, by: .user(bert.id)) }
                #expect(refused?.reason == "not-allowed")
            }
            let ownAddress = try await refusal { _ = try await people.change(admin.id, given, by: .user(admin.id)) }
            #expect(ownAddress?.reason == "own-account")
            let taken = PersonChange(email: try EmailAddress(admin.email.uppercased()))
            let refused = try await refusal { _ = try await people.change(bert.id, taken, by: .user(admin.id)) }
            #expect(refused == .emailTaken)
            #expect(try await own.stores.users.list(ids: [admin.id, bert.id]).allSatisfy { $0.emailSetOn == nil })
        }
    }

    /// Each address that the account has had is told, and no other.
    @Test(arguments: StoreUnderTest.all)
    func `Of two admins who set an address at once, none leaves an address untold`(store: StoreUnderTest) async throws {
        try await OwnAccounts.with(store) { own in
            let (people, links) = (try own.people(), try MailedLinks(stores: own.stores))
            let admin = Caller.user(try await own.accounts.addUser("Admin", role: .admin).id)
            for round in 0..<8 {
                let user = try await own.accounts.addUser("anna\(round)")
                let one = PersonChange(email: try EmailAddress("one\(round)@new.example"))
                let other = PersonChange(email: try EmailAddress("other\(round)@new.example"))
                async let first = refusal { _ = try await people.change(user.id, one, by: admin) }
                async let second = refusal { _ = try await people.change(user.id, other, by: admin) }
                let refusals = try await [first, second].compactMap { $0 }
                #expect(refusals.count <= 1 && refusals.allSatisfy { $0.reason == "changed-meanwhile" })
                let told = try await links.mails(.emailChanged).filter { $0.contains("\(user.id)") }
                let present = try #require(try await links.user(user.id)).email
                #expect(told.count == 2 - refusals.count)
                #expect(told.contains { $0.contains(user.email) } && !told.contains { $0.contains(present) })
            }
        }
    }
}
