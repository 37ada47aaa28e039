import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// The contract of both stores for edits: no change is overwritten unseen.
@Suite struct SeenChangeContract {
    @Test(arguments: StoreUnderTest.all)
    func `Rules are replaced only if they are those that were seen`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam("Blue")
            var rules = team.rules
            rules.name = "Navy"
            rules.settings.threshold = 5
            let isApplied = try await stores.transaction { [rules] in
                try $0.apply(rules, to: team.id, from: team.rules)
            }
            #expect(isApplied)
            #expect(try await stores.current(team).rules == rules)
            let number = try await stores.publicationNumber(of: team.id)
            var late = team.rules
            late.settings.graceDays = 2
            let isLateApplied = try await stores.transaction { [late] in
                try $0.apply(late, to: team.id, from: team.rules)
            }
            #expect(!isLateApplied)
            #expect(try await stores.current(team).rules == rules)
            #expect(try await stores.publicationNumber(of: team.id) == number)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                _ = try await stores.transaction { [late] rows in try rows.apply(late, to: .random(), from: team.rules)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who replace the same rules, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let done = try await concurrently(8) { number in
                var rules = team.rules
                rules.settings.threshold = 10 + number
                let isDone = try await stores.transaction { [rules] rows in
                    try rows.apply(rules, to: team.id, from: team.rules)
                }
                return isDone ? rules : nil
            }
            #expect(done.compactMap { $0 } == [try await stores.current(team).rules])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Simultaneous changes of different rules all stay`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam("Blue")
            _ = try await stores.makeVoters(5, in: team)
            let service = TeamService(stores: stores, secret: TestTeam.secret)
            _ = try await concurrently(6) { number in
                var wanted = team.rules
                switch number {
                case 0: wanted.name = "Navy"
                case 1: wanted.settings.timeZone = "Asia/Tokyo"
                case 2: wanted.settings.threshold = 5
                case 3: wanted.settings.policy = .close
                case 4:
                    // Like a program, which names what it changes.
                    return try await service.change(
                        team.id, settings: TeamSettingsChange(graceDays: 2), by: .operator)
                default: wanted.settings.feedbackReaders = .leads
                }
                return try await service.change(team.id, Edit(from: team.rules, to: wanted), by: .operator)
            }
            let settings = TeamSettings(
                timeZone: "Asia/Tokyo", threshold: 5, policy: .close, graceDays: 2, feedbackReaders: .leads)
            #expect(try await stores.current(team).rules == TeamRules(name: "Navy", settings: settings))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Reminders are replaced only if they are those that were seen`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let first = ReminderSettings(hour: 8, texts: [.first: [.german: ReminderText(title: "Na?")]])
            #expect(try await stores.transaction { try $0.apply(first, to: team.id, from: ReminderSettings()) })
            let late = ReminderSettings(hour: 11)
            #expect(
                try await !stores.transaction { rows in
                    try rows.apply(late, to: team.id, from: ReminderSettings())
                })
            #expect(try await stores.reminderSettings(of: team.id) == first)
            #expect(try await stores.transaction { rows in try rows.apply(late, to: team.id, from: first) })
            #expect(try await stores.reminderSettings(of: team.id) == late)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                _ = try await stores.transaction { [late] rows in
                    try rows.apply(late, to: .random(), from: ReminderSettings())
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who store the first reminders, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let done = try await concurrently(8) { number in
                let settings = ReminderSettings(hour: number)
                let isDone = try await stores.transaction {
                    try $0.apply(settings, to: team.id, from: ReminderSettings())
                }
                return isDone ? settings : nil
            }
            #expect(done.compactMap { $0 } == [try await stores.reminderSettings(of: team.id)])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Quiet days and texts changed at once all stay`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let service = ReminderService(stores: stores, clock: WallClock { Instants.now })
            let first = try #require(CalendarDay("2026-02-02"))
            let words = ReminderText(title: "Na?")
            _ = try await concurrently(8) { number in
                guard number > 0 else {
                    let wanted = ReminderSettings(texts: [.first: [.german: words]])
                    let edit = Edit(from: ReminderSettings(), to: wanted)
                    return try await service.change(team.id, edit, by: .operator)
                }
                return try await service.changeHolidays(of: team.id, by: .operator) {
                    $0.insert(first.adding(days: number))
                }
            }
            let stored = try await stores.reminderSettings(of: team.id)
            #expect(stored.holidays.count == 7 && stored.texts == [.first: [.german: words]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A text is replaced only if it is the one that was seen`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let key = TextKey("live.vote", in: .german)
            let day = try #require(CalendarDay("2026-01-25"))
            func change(_ text: String?, from present: String?) async throws -> Bool {
                try await stores.write { try $0.changeText(key, TextChange(text: text, day: day), from: present) }
            }
            #expect(try await change("Los!", from: nil))
            let version = try await stores.read { try $0.textVersion() }
            #expect(try await !change("Jetzt!", from: nil))
            #expect(try await stores.read { try $0.textVersion() } == version)
            #expect(try await stores.read { try $0.textHistory(of: key) }.map(\.text) == ["Los!"])
            #expect(try await change(nil, from: "Los!"))
            #expect(try await !change("Jetzt!", from: "Los!"))
            #expect(try await change("Jetzt!", from: nil))
            let done = try await concurrently(8) { number in
                try await stores.write {
                    try $0.changeText(key, TextChange(text: "\(number)", day: day), from: "Jetzt!")
                }
            }
            #expect(done.filter { $0 }.count == 1)
        }
    }
}
