import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// Changes to one's own account, and the export of the stored data.
@Suite struct AccountServiceTests {
    @Test(arguments: StoreUnderTest.all)
    func `Named fields change and nothing else`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { own in
            let anna = try await own.signIn("Anna")
            let blue = try await own.makeTeam("Blue", [anna])
            let red = try await own.makeTeam("Red", [anna])
            let before = try await own.service.account(of: anna.principal)
            #expect(before.defaultTeamID == blue.id && before.language == .unknown)

            let german = try await own.service.change(AccountChange(locale: "de"), by: anna.principal)
            #expect(german.locale == "de")
            #expect(german.notifications == before.notifications && german.defaultTeamID == blue.id)

            let quiet = NotificationSettings(push: true, mail: false, results: true)
            let after = try await own.service.change(
                AccountChange(notifications: .init(mail: false, results: true), defaultTeamID: red.id),
                by: anna.principal)
            #expect(after.notifications == quiet && after.defaultTeamID == red.id && after.locale == "de")
            #expect(try await own.service.change(AccountChange(), by: anna.principal) == after)
        }
    }

    @Test func `An unknown language or someone else's team is refused, and nothing changes`() async throws {
        try await OwnAccounts.with(.sqlite) { own in
            let anna = try await own.signIn("Anna")
            let bert = try await own.signIn("Bert")
            let others = try await own.makeTeam("Others", [bert])
            for locale in ["fr", "", "EN", "de-AT"] {
                let error = try await rejection {
                    _ = try await own.service.change(AccountChange(locale: locale), by: anna.principal)
                }
                #expect(error?.reason == .noSuchLanguage)
            }
            for teamID in [others.id, Team.ID.random()] {
                let error = try await rejection {
                    _ = try await own.service.change(
                        AccountChange(locale: "de", defaultTeamID: teamID), by: anna.principal)
                }
                #expect(error?.reason == .noSuchTeam)
            }
            #expect(try await own.service.account(of: anna.principal) == own.stores.user(anna.user.id))
            #expect(try await own.service.account(of: anna.principal).language == .unknown)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The export contains everything that is stored, but no hash and no secret`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { own in
            let anna = try await own.signIn("Anna")
            let bert = try await own.signIn("Bert")
            let team = try await own.makeTeam("Blue", [anna, bert])
            try await own.vote(anna, in: team)
            let (links, hashes) = try await Self.leaveTraces(of: anna.user, in: own)

            let text = try await own.exportText(of: anna)
            let session = try #require(try await own.stores.session(anna.principal.sessionID))
            let identified = [
                anna.user.id.description, "Anna", "Anna@example.org", "new@example.org", team.id.description, "Blue",
                session.id.description, "a phone", session.lastUsed.description, anna.user.createdOn.description,
                "token-of-a-phone", "1.4.0",
                "https://id.example", "subject-1", "mail.passwordReset", "passwordReset", "invitation",
                "user name", "can’t be tied to you", "https://happiness.example/pictures/",
            ]
            for part in identified { #expect(text.contains(part), "\(part) is missing") }
            let user = try #require(try await own.stores.user(anna.user.id))
            let secrets = [try #require(user.passwordHash), "$2b$", Accounts.password, anna.token] + links
            for secret in secrets { #expect(!text.contains(secret)) }
            for bytes in hashes + [session.seed] {
                #expect(!text.contains(bytes.hexadecimal) && !text.contains(bytes.base64URL))
                #expect(!text.contains(Data(bytes).base64EncodedString()))
            }
            #expect(text.contains(CalendarDay(instant: own.accounts.clock.now - 86_400, in: .gmt).description))
            #expect(!text.contains("somebody@else.example"), "another user's address")
            #expect(!text.contains(bert.user.id.description) && !text.contains("Bert"))
        }
    }

    @Test func `The export names the sprints voted in, and no others`() async throws {
        try await OwnAccounts.with(.sqlite) { own in
            let anna = try await own.signIn("Anna")
            let bert = try await own.signIn("Bert")
            let team = try await own.makeTeam("Blue", [anna, bert])
            try await own.vote(bert, in: team)
            let left = try await own.makeTeam("Left", [bert, anna])
            try await own.vote(anna, in: left)
            try await own.stores.remove(userID: anna.user.id, from: left.id)
            let votes = try await own.service.export(
                by: anna.principal, texts: .original, pictures: own.pictureLinks
            ).votes
            #expect(votes.votedIn.map(\.team) == ["Left"])
            #expect(votes.votedIn.first?.start == (try await own.sprints.runningSprint(of: left.id)).start)
        }
    }

    @Test func `The explanation is in the language of the account`() async throws {
        try await OwnAccounts.with(.sqlite) { own in
            let anna = try await own.signIn("Anna")
            _ = try await own.service.change(AccountChange(locale: "de"), by: anna.principal)
            let votes = try await own.service.export(
                by: anna.principal, texts: .original, pictures: own.pictureLinks
            ).votes
            #expect(votes.explanation.contains("weil sie dir nicht zugeordnet werden können"))
        }
    }

    /// - Returns: the texts of links, and all values that are stored hashed.
    private static func leaveTraces(
        of user: User, in own: OwnAccounts
    ) async throws -> (links: [String], hashes: [[UInt8]]) {
        let stores = own.stores
        let now = own.accounts.clock.now
        let picture = UserUpdate.PictureReplacement(old: nil, new: ProfilePicture(uploadedAt: now))
        try await stores.update(id: user.id, UserUpdate(pendingEmail: .set("new@example.org"), picture: picture))
        try await stores.insert(ExternalIdentity(issuer: "https://id.example", subject: "subject-1", userID: user.id))
        let device = Device(
            userID: user.id, sessionID: nil, address: .fcm(token: "token-of-a-phone"), platform: .android,
            appVersion: "1.4.0", locale: "en", refreshed: CalendarDay(instant: now, in: .gmt))
        _ = try await stores.register(device, limit: 1)
        try await MailJobs(jobs: stores.jobs, clock: own.accounts.clock.wall).passwordReset(of: user.id)
        try await stores.insert(
            Invitation(
                email: user.email, role: .member, teamID: nil, teamRole: .member, locale: "en",
                sent: CalendarDay(instant: now, in: .gmt)))
        try await stores.insert(
            Invitation(
                email: "somebody@else.example", role: .guest, teamID: nil, teamRole: .member, locale: "en",
                inviterID: user.id, sent: CalendarDay(instant: now - 86_400, in: .gmt)))
        try await stores.write {
            try $0.put(
                Registration(
                    name: "Anna2", email: user.email, passwordHash: "$2b$registered", role: .member, locale: "en",
                    expires: now + 60))
        }
        let (link, token) = OneTimeToken.make(.passwordReset, subject: user.id.description, email: user.email, at: now)
        try await stores.insert(token)
        _ = try await rejection { _ = try await own.accounts.logIn("Anna", password: "wrong") }
        let receipts = try await stores.read { try $0.teams(of: user.id) }.asyncMap { team in
            let sprint = try await own.sprints.runningSprint(of: team.team.id)
            return Receipt(secret: TestTeam.secret, sprint: sprint.key, userID: user.id).bytes
        }
        return ([link], [token.hash] + receipts)
    }
}

extension OwnAccounts {
    /// The export as the API writes it.
    fileprivate func exportText(of person: SignedIn) async throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return String(
            decoding: try encoder.encode(
                try await service.export(by: person.principal, texts: .original, pictures: pictureLinks)),
            as: UTF8.self)
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
