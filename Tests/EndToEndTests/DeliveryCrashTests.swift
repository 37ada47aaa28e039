import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// Reminders of the real worker with FCM's simulator, while processes die.
@Suite(.serialized) struct DeliveryCrashTests {
    private static let members = 500
    private static let devicesEach = 4
    /// Number of requests after which the worker is killed, while most devices still wait.
    private static let killAfter = 600
    /// Maximum number of concurrent messages: four batches, each with a part of 64 devices.
    private static let underWay = 4 * 64
    /// Monday 2026-01-05, 09:20 UTC: in the window of the sprint's first reminder.
    private static let window = TestTeam.firstMonday + 9 * 3_600 + 20 * 60

    @Test(arguments: Installation.Store.allCases)
    func `A worker is killed in the middle of a reminder`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            try await GoogleTokenSimulator.with { tokens in
                try await FCMSimulator.with(tokens: tokens) { fcm in
                    try await Self.remind(installation, tokens: tokens, fcm: fcm)
                }
            }
        }
    }

    /// Mailgun accepts the fourth mail but never responds; the worker is killed while it waits. The state of each
    /// recipient is stored, so only that mail is sent again.
    @Test(arguments: Installation.Store.allCases)
    func `A worker is killed between a mail and its record`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            try await MailgunSimulator.with { mailgun in
                let settings = installation.settings.merging([
                    "PUBLIC_URL": "https://happiness.example.org", "MAIL_DRIVER": "mailgun",
                    "MAIL_FROM": "happiness@example.org", "MAILGUN_BASE_URL": mailgun.baseURL,
                    "MAILGUN_DOMAIN": mailgun.domain, "MAILGUN_API_KEY": mailgun.apiKey, "MAIL_CONNECTIONS": "1",
                ]) { $1 }
                try await installation.withStores { stores in
                    let team = try await TestTeam.make(in: stores, members: 12)
                    let secrets = try Secrets.load(try Settings(values: settings))
                    let sprints = SprintService(
                        stores: stores, secret: secrets.ballot, clock: WallClock { Self.window })
                    _ = try await sprints.runningSprint(of: team.team.id)

                    mailgun.fail(.accept, .accept, .accept, .hang)
                    let first = try await ServerProcess.launch(
                        .worker, ["--once", "--now", Self.window.formatted(.iso8601)], settings: settings,
                        in: installation.directory)
                    try await eventually("the fourth mail is on its way", within: .seconds(60)) {
                        mailgun.requests == 4
                    }
                    try await first.kill()
                    // By then the lease of the killed worker has expired.
                    let second = try await ServerProcess.run(
                        .worker, ["--once", "--now", (Self.window + 300).formatted(.iso8601)], settings: settings,
                        in: installation.directory)
                    #expect(second.status == 0, "\(second.log)")

                    let mails = mailgun.mails.compactMap { $0["h:Message-Id"] }
                    #expect(mails.count == 13 && Set(mails).count == 12)
                    #expect(mails.count { $0 == mails[3] } == 2)
                    // In the order of their ids, the times of the records would tell who needed no mail.
                    let recipients = mailgun.mails.compactMap { $0["to"] }
                    #expect(recipients.count == 13 && recipients != recipients.sorted())
                    let deliveries = try await stores.read { try $0.deliveries(of: team.team.id, after: nil, limit: 9) }
                    #expect(deliveries.map(\.state) == [.done])
                }
            }
        }
    }

    private static func remind(
        _ installation: Installation, tokens: GoogleTokenSimulator, fcm: FCMSimulator
    ) async throws {
        let keyFile = installation.directory.path("account.json")
        try tokens.account.file(tokenURL: tokens.url).write(to: URL(filePath: keyFile))
        let settings = installation.settings.merging([
            "PUSH_DRIVERS": "fcm", "FCM_SERVICE_ACCOUNT_FILE": keyFile, "FCM_BASE_URL": fcm.baseURL,
            "PUSH_RAMP_SECONDS": "0", "PUBLIC_URL": "https://happiness.example.org",
        ]) { $1 }
        try await installation.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: members)
            let tokensOf = try await addDevices(to: team, in: stores)
            let secrets = try Secrets.load(try Settings(values: settings))
            let sprints = SprintService(stores: stores, secret: secrets.ballot, clock: WallClock { window })
            let sprint = try await sprints.runningSprint(of: team.team.id)
            let voters = team.members.prefix(100)
            try await vote(voters, in: sprint, secret: secrets.ballot, stores: stores)

            let first = try await ServerProcess.launch(
                .worker, ["--once", "--now", window.formatted(.iso8601)], settings: settings,
                in: installation.directory)
            try await eventually("many devices are served", within: .seconds(60)) { fcm.requests >= killAfter }
            try await first.kill()
            let served = fcm.messages.count
            // By then the leases of the killed worker have expired.
            let second = try await ServerProcess.run(
                .worker, ["--once", "--now", (window + 300).formatted(.iso8601)], settings: settings,
                in: installation.directory)
            #expect(second.status == 0, "\(second.log)")

            let counts = Dictionary(fcm.messages.map { ($0.token, 1) }, uniquingKeysWith: +)
            let expected = Set(team.members.dropFirst(voters.count).flatMap { tokensOf[$0.userID] ?? [] })
            #expect(Set(counts.keys) == expected)
            let repeats = counts.values.reduce(0) { $0 + $1 - 1 }
            #expect(repeats <= underWay)
            #expect(counts.values.allSatisfy { $0 <= 2 })
            print("Killed after \(served) of \(expected.count) devices: \(repeats) got the reminder twice")
            let deliveries = try await stores.read { try $0.deliveries(of: team.team.id, after: nil, limit: 9) }
            #expect(deliveries.map(\.state) == [.done])
            #expect(!second.log.contains("A reminder was missed"))
        }
    }

    /// - Returns: the tokens of each member's devices.
    private static func addDevices(to team: TestTeam, in stores: Stores) async throws -> [User.ID: [String]] {
        let day = CalendarDay(instant: window, in: .gmt)
        return try await withThrowingTaskGroup(of: (User.ID, [String]).self) { group in
            var added: [User.ID: [String]] = [:]
            for (index, member) in team.members.enumerated() {
                if index >= 16, let (id, tokens) = try await group.next() { added[id] = tokens }
                group.addTask {
                    let tokens = (0..<devicesEach).map { "\(member.userID):\($0)" }
                    for token in tokens {
                        let device = Device(
                            userID: member.userID, sessionID: member.sessionID, address: .fcm(token: token),
                            platform: .android, appVersion: nil, locale: "de", refreshed: day)
                        _ = try await stores.register(device, limit: devicesEach)
                    }
                    return (member.userID, tokens)
                }
            }
            return try await group.reduce(into: added) { $0[$1.0] = $1.1 }
        }
    }

    private static func vote(
        _ voters: some Sequence<Principal>, in sprint: Sprint, secret: BallotSecret, stores: Stores
    ) async throws {
        let box = BallotBox(store: stores.ballots, partitions: 1, clock: WallClock { window })
        defer { box.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for voter in voters {
                let ballot = Ballot(
                    voter: Ballot.Voter(
                        sessionID: voter.sessionID, userID: voter.userID,
                        receipt: Receipt(secret: secret, sprint: sprint.key, userID: voter.userID)),
                    sprint: sprint.key, happiness: try Happiness(tenths: 70), feedback: nil)
                group.addTask {
                    guard case .counted = try await box.cast(ballot) else {
                        Issue.record("a ballot was not counted")
                        return
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
