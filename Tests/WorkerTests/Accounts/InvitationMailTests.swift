import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// Invitations and registrations from the request to the login, with Mailgun simulated and everything else real.
@Suite struct InvitationMailTests {
    private static let password = "nine blue kettles"

    /// The API's services next to the worker.
    private struct Accounts {
        let invitations: InvitationService
        let registrations: RegistrationService
        let logins: LoginService

        init(stores: Stores) throws {
            let clock = WallClock { testStart }
            let hasher = try PasswordHasher(cost: PasswordHasher.costs.lowerBound)
            let secret = String(repeating: "x", count: Secrets.minimumLength)
            let settings = try Settings(values: [
                "REGISTRATION_DOMAINS": "example.org:member", "JWT_SECRET": secret, "BALLOT_SECRET": secret,
            ])
            let secrets = try Secrets.load(settings)
            invitations = InvitationService(
                stores: stores, secret: TestTeam.secret, hasher: hasher, clock: clock)
            registrations = RegistrationService(
                stores: stores, secrets: secrets, domains: settings.accounts.registrationDomains, hasher: hasher,
                clock: clock)
            logins = try LoginService(
                stores: stores, secrets: secrets, hasher: hasher, lifetimes: SessionLifetimes(),
                memberships: MembershipCache(stores: stores, clock: clock), clock: clock)
        }

        func logIn(_ name: String) async throws -> User {
            try await logins.logIn(
                login: name, password: password, device: "test", address: "192.0.2.1", lifetime: .rotating
            ).user
        }

        func register(_ name: String, _ email: String) async throws {
            let request = RegistrationService.Request(name: name, email: email, password: password, locale: .english)
            try await registrations.register(request, from: "192.0.2.1")
        }
    }

    private func with(
        _ store: StoreUnderTest, _ body: (MailWorker, Accounts) async throws -> Void
    ) async throws {
        try await MailWorker.with(store) { try await body($0, Accounts(stores: $0.stores)) }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An invitation is mailed, accepted and leads to a log-in`(store: StoreUnderTest) async throws {
        try await with(store) { worker, accounts in
            let team = Team(name: "Blue")
            try await worker.stores.insert(team)
            let admin = User(name: try UserName("Ada"), email: try EmailAddress("ada@example.org"), role: .admin)
            try await worker.stores.insert(admin)
            let new = NewInvitation(email: try EmailAddress("new@example.org"), teamID: team.id, locale: .german)
            _ = try await accounts.invitations.invite(new, by: .user(admin.id))
            #expect(worker.mailgun.requests == 0, "a request sends nothing")

            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(worker.mailgun.mails.count == 1)
            #expect(mail["to"] == "new@example.org")
            #expect(mail["subject"] == "Ada lädt dich zu „Blue“ ein")
            #expect(mail["text"]?.contains("Ada lädt dich zu „Blue“ auf Happiness Metric ein.") == true)
            let token = try #require(worker.mailedTokens().first)
            #expect(mail["text"]?.contains("\(MailSender.site)/invitation?token=\(token)") == true)
            let user = try await accounts.invitations.accept(token: token, name: "Newcomer", password: Self.password)
                .user
            #expect(try await accounts.logIn("Newcomer").id == user.id)
            #expect(try await worker.stores.membership(of: user.id, in: team.id) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Someone with an account is mailed in their language and joins by the link`(
        store: StoreUnderTest
    ) async throws {
        try await with(store) { worker, accounts in
            let team = Team(name: "Blue")
            try await worker.stores.insert(team)
            let anna = try await worker.addUser("Anna", locale: "de")
            let new = NewInvitation(email: try EmailAddress("anna@example.org"), teamID: team.id, locale: .english)
            _ = try await accounts.invitations.invite(new, by: .operator)
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["subject"] == "Du bist zu „Blue“ eingeladen")
            let words = [
                "Du bist zu „Blue“ auf Happiness Metric eingeladen.", "Du hast dort schon ein Konto",
                "Einladung gilt 14 Tage.", "Einladung ansehen:",
            ]
            for words in words { #expect(mail["text"]?.contains(words) == true, "\(words)") }
            #expect(mail["text"]?.contains("Wähle einen Namen") == false)
            let token = try #require(worker.mailedTokens().first)
            let accepted = try await accounts.invitations.accept(token: token, name: nil, password: nil)
            #expect(accepted.user.id == anna.id)
            #expect(try await worker.stores.membership(of: anna.id, in: team.id) != nil)
        }
    }

    /// Mail programs turn anything that looks like an address into a link: letters on both sides of a dot, or a scheme.
    @Test func `No name becomes a link in a mail`() async throws {
        try await with(.sqlite) { worker, accounts in
            // A name from before names were checked for this.
            let lead = User(
                stored: .random(), name: "www.evil.example/x or http://evil.example", displayName: nil,
                email: "lead@example.org",
                pendingEmail: nil, role: .member, passwordHash: nil, isDisabled: false, defaultTeamID: nil,
                locale: "en", notifications: NotificationSettings(),
                picture: nil, createdOn: CalendarDay(instant: testStart, in: .gmt), addressFault: nil)
            try await worker.stores.insert(lead)
            let team = Team(name: "log-in.evil\u{3002}example me@evil.example")
            try await worker.stores.insert(team)
            try await worker.stores.add(Membership(teamID: team.id, userID: lead.id, role: .lead))
            let new = NewInvitation(email: try EmailAddress("new@example.org"), teamID: team.id)
            _ = try await accounts.invitations.invite(new, by: .user(lead.id))
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            for part in ["text", "html"] {
                let text = try #require(mail[part])
                #expect(text.contains("evil"), "the names are there")
                // Mail programs show a subject, which is the title too, as plain text.
                let shown = text.replacing(/<title>.*<\/title>/, with: "")
                #expect(shown.firstMatch(of: /(?:\w[.\u{3002}:\/@]+evil|evil[.\u{3002}:\/@]+\w)/) == nil, "\(part)")
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An invitation that nobody can accept any more is not mailed`(store: StoreUnderTest) async throws {
        try await with(store) { worker, accounts in
            let team = Team(name: "Blue")
            try await worker.stores.insert(team)
            let lead = try await worker.addUser("Lead")
            try await worker.stores.add(Membership(teamID: team.id, userID: lead.id, role: .lead))
            let member = try await worker.addUser("Member")
            for address in ["new@example.org", "member@example.org"] {
                let new = NewInvitation(email: try EmailAddress(address), teamID: team.id)
                let caller: Caller = address.hasPrefix("new") ? .user(lead.id) : .operator
                _ = try await accounts.invitations.invite(new, by: caller)
            }
            try await worker.stores.remove(userID: lead.id, from: team.id)
            try await worker.stores.add(Membership(teamID: team.id, userID: member.id))
            try await worker.run()
            #expect(worker.mailgun.requests == 0)
            #expect(try await worker.stores.jobs.list(state: .dead, limit: 10).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Invitations that nobody accepted are removed after thirty days`(store: StoreUnderTest) async throws {
        try await with(store) { worker, accounts in
            let new = NewInvitation(email: try EmailAddress("new@example.org"))
            _ = try await accounts.invitations.invite(new, by: .operator)
            let lastDay = testStart + Double(Invitation.lifetime) * 86_400
            for (instant, count) in [(lastDay, 1), (lastDay + 86_400, 0)] {
                try await worker.run(at: instant)
                #expect(try await worker.stores.read { try $0.invitations(email: "new@example.org") }.count == count)
            }
        }
    }

    @Test(arguments: [
        ("en", "You’re invited to Happiness Metric"), ("de", "Du bist zu Happiness Metric eingeladen"),
    ])
    func `The operator invites without a name`(locale: String, words: String) async throws {
        try await with(.sqlite) { worker, accounts in
            let new = NewInvitation(email: try EmailAddress("new@example.org"), locale: MailLocale(tag: locale))
            _ = try await accounts.invitations.invite(new, by: .operator)
            try await worker.run()
            #expect(worker.mailgun.mails.first?["subject"] == words)
            #expect(worker.mailgun.mails.first?["text"]?.contains("\(words).") == true)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A withdrawn invitation is not mailed`(store: StoreUnderTest) async throws {
        try await with(store) { worker, accounts in
            let new = NewInvitation(email: try EmailAddress("new@example.org"))
            _ = try await accounts.invitations.invite(new, by: .operator)
            let invitation = try #require(try await accounts.invitations.list(teamID: nil, by: .operator).first)
            try await accounts.invitations.withdraw(invitation.id, by: .operator)
            try await worker.run()
            #expect(worker.mailgun.requests == 0)
            #expect(try await worker.mailJob()?.state == .done)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `After a lost answer, the links of both mails are valid`(store: StoreUnderTest) async throws {
        try await with(store) { worker, accounts in
            let new = NewInvitation(email: try EmailAddress("new@example.org"))
            _ = try await accounts.invitations.invite(new, by: .operator)
            worker.mailgun.fail(.closeMidResponse)
            try await worker.run()
            try await worker.run(at: testStart + 3_600)
            let tokens = worker.mailedTokens()
            #expect(Set(tokens).count == 2)
            for token in tokens { _ = try await accounts.invitations.offer(token: token) }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A registration is mailed, confirmed and leads to a log-in`(store: StoreUnderTest) async throws {
        try await with(store) { worker, accounts in
            try await accounts.register("Anna", "anna@example.org")
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["text"]?.contains("Anna") == false, "the name is the asker's own words")
            let token = try #require(worker.mailedTokens().first)
            #expect(mail["text"]?.contains("\(MailSender.site)/registration?token=\(token)") == true)
            #expect(mail["text"]?.contains("If you didn’t ask for an account, ignore this e-mail") == true)
            let user = try await accounts.registrations.confirm(
                token: token, password: Self.password, from: "192.0.2.1")
            #expect(try await accounts.logIn("Anna").id == user.id)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An address with an account gets no mail when someone registers it`(store: StoreUnderTest) async throws {
        try await with(store) { worker, accounts in
            _ = try await worker.addUser("Anna")
            try await accounts.register("Other", "anna@example.org")
            try await accounts.registrations.resend(email: "nobody@example.org", from: "192.0.2.1")
            try await worker.run()
            #expect(worker.mailgun.requests == 0)
            #expect(try await worker.stores.read { try $0.registration(email: "anna@example.org") } == nil)
            #expect(try await worker.stores.jobs.list(state: .dead, limit: 10).isEmpty)
        }
    }
}
