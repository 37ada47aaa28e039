import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// Custom texts that replace the program's, and their limits.
@Suite struct TextCatalogTests {
    private static let answered = TextKey("live.answered", in: .english)

    private static func catalog() throws -> TextCatalog {
        try TextCatalog(resources: Repository.resources)
    }

    @Test func `A custom text replaces only its original`() throws {
        let catalog = try Self.catalog()
        let key = TextKey("live.vote", in: .german)
        catalog.show([OwnText(key: key, text: "Los!")], version: 1, of: catalog.beginReading())
        #expect(catalog.sections(in: .german)["live"]?["vote"] == "Los!")
        #expect(catalog.sections(in: .english)["live"]?["vote"] == "Vote now")
        #expect(catalog.original(of: key) == "Jetzt abstimmen")
        catalog.show([], version: 2, of: catalog.beginReading())
        #expect(catalog.sections(in: .german)["live"]?["vote"] == "Jetzt abstimmen")
    }

    /// A folder with English and one more file of texts.
    private static func catalog(with file: String, _ texts: [String: [String: String]]) async throws -> TextCatalog {
        try await TemporaryDirectory.with { directory in
            let folder = directory.url.appending(path: "templates/messages")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                at: Repository.root.appending(path: "templates/messages/en.json"), to: folder.appending(path: "en.json")
            )
            try JSONEncoder().encode(texts).write(to: folder.appending(path: file))
            return try TextCatalog(resources: Resources(root: directory.url))
        }
    }

    @Test func `A language is a file, and what it lacks is English`() async throws {
        let texts = [
            "language": ["name": "Français", "direction": "ltr"],
            "live": ["vote": "Voter", "voteText": "Un texte {inconnu}"],
        ]
        let catalog = try await Self.catalog(with: "fr.json", texts)
        let french = try #require(MailLocale(rawValue: "fr"))
        #expect(catalog.texts.languages == [.english, french])
        let words = catalog.words(in: french)
        #expect(words.text("live.vote") == "Voter" && words.name(of: french) == "Français")
        #expect(words.text("settings.title") == catalog.words(in: .english).text("settings.title"))
        let missing = try #require(catalog.missing[french])
        #expect(missing.contains("settings.title") && missing.contains("live.voteText"))
        #expect(!missing.contains("live.vote") && missing == missing.sorted())
        #expect(catalog.notices.count == 1 && catalog.notices.allSatisfy { $0.contains("fr.json") })
        #expect(catalog.words(in: .german).text("live.vote") == "Vote now", "it has no file here")
    }

    @Test(arguments: ["french.json", "FR.json", "fr-CA.json", "f.json", "fr.json.bak"])
    func `Other files are no language`(file: String) async throws {
        let catalog = try await Self.catalog(with: file, [:])
        #expect(catalog.texts.languages == [.english] && catalog.missing.isEmpty)
    }

    @Test func `The program's own languages are complete`() throws {
        let catalog = try Self.catalog()
        #expect(catalog.texts.languages == [.english, .german] && catalog.notices.isEmpty)
    }

    @Test func `A value is not searched for placeholders again`() {
        let words = LocalizedTexts(sections: ["a": ["b": "{x} and {y} or {z} {"]])
        #expect(words.text("a.b", ["x": "{y}", "y": "{x}"]) == "{y} and {x} or {z} {")
    }

    @Test func `A slower reading brings nothing back`() throws {
        let catalog = try Self.catalog()
        let key = TextKey("live.vote", in: .english)
        let (slow, fast) = (catalog.beginReading(), catalog.beginReading())
        #expect(!catalog.isShown(4, by: slow) && !catalog.isShown(5, by: fast))
        catalog.show([OwnText(key: key, text: "Go!")], version: 5, of: fast)
        catalog.show([], version: 4, of: slow)
        #expect(catalog.own(key) == "Go!")
        #expect(catalog.isShown(4, by: slow))

        let (stale, latest) = (catalog.beginReading(), catalog.beginReading())
        #expect(!catalog.isShown(4, by: stale) && catalog.isShown(5, by: latest))
        catalog.show([], version: 4, of: stale)
        #expect(catalog.own(key) == "Go!")
    }

    @Test func `A version that goes back is shown`() throws {
        let catalog = try Self.catalog()
        let key = TextKey("live.vote", in: .english)
        for (text, version) in [("Go!", 5), ("Hop on", 2), ("Off we go", 3)] {
            catalog.show([OwnText(key: key, text: text)], version: version, of: catalog.beginReading())
            #expect(catalog.own(key) == text)
        }
    }

    @Test func `A text that no longer fits is left out`() throws {
        let catalog = try Self.catalog()
        let unfit = [
            OwnText(key: Self.answered, text: "Without its numbers"),
            OwnText(key: TextKey("live.gone", in: .english), text: "Of an older version"),
            OwnText(key: TextKey("calendar.months", in: .english), text: "January"),
            OwnText(key: TextKey("nonsense", in: .english), text: "x"),
        ]
        catalog.show(unfit, version: 1, of: catalog.beginReading())
        #expect(catalog.sections(in: .english) == (try Self.catalog()).sections(in: .english))
        #expect(unfit.allSatisfy { catalog.own($0.key) == nil })
    }

    @Test(arguments: [
        ("", AppError.Reason.textEmpty), (" \n  ", .textEmpty), ("{votes} votes", .textPlaceholders),
        ("{votes} {people} {name}", .textPlaceholders), ("no placeholder", .textPlaceholders),
        ("{votes} {people}\u{7}", .textNotText),
        ("{votes} {people} " + String(repeating: "a", count: 1_000), .textTooLong),
    ])
    func `An invalid text is refused`(text: String, reason: AppError.Reason) throws {
        let original = try #require(try Self.catalog().original(of: Self.answered))
        #expect {
            try TextRules.validated(text, inPlaceOf: original)
        } throws: { error in
            (error as? AppError)?.reason == reason
        }
    }

    @Test func `A text is kept on one line`() throws {
        #expect(try TextRules.validated("  One\r\ntwo {k}  ", inPlaceOf: "{k}") == "One two {k}")
        #expect(try TextRules.validated("to join", inPlaceOf: " beitreten? ") == " to join ")
        #expect(try TextRules.validated("<b>bold</b> & {x", inPlaceOf: "plain") == "<b>bold</b> & {x")
    }

    /// Even the longest text must leave room for another wording.
    @Test func `Every text of the program would be allowed`() throws {
        let catalog = try Self.catalog()
        for language in MailLocale.allCases {
            for name in catalog.names(in: language) where TextRules.canChange(name) {
                let original = try #require(catalog.original(of: TextKey(name, in: language)))
                #expect(try TextRules.validated(original, inPlaceOf: original) == original, "\(name)")
            }
        }
    }

    @Test(arguments: [
        (0, "0", "0"), (999, "999", "999"), (1_000, "1,000", "1.000"), (12_034, "12,034", "12.034"),
        (1_000_500, "1,000,500", "1.000.500"),
    ])
    func `A number has its language's separator of thousands`(number: Int, english: String, german: String) throws {
        let catalog = try Self.catalog()
        #expect(catalog.words(in: .english).number(number) == english)
        #expect(catalog.words(in: .german).number(number) == german)
    }
}

/// Who may change texts, and how processes learn of a change.
@Suite struct TextServiceTests {
    private struct Process {
        let catalog: TextCatalog
        let feed: TextFeed
        let texts: TextService

        init(_ accounts: OwnAccounts) throws {
            catalog = try TextCatalog(resources: Repository.resources)
            feed = TextFeed(catalog: catalog, store: accounts.stores.rows)
            texts = TextService(
                stores: accounts.stores, catalog: catalog, feed: feed, clock: accounts.accounts.clock.wall)
        }
    }

    private static let key = TextKey("live.vote", in: .english)

    @Test(arguments: StoreUnderTest.all)
    func `A change is seen here at once, and elsewhere with the next reading`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { accounts in
            let admin = try await accounts.signIn("admin", role: .admin).principal.caller
            let (here, there) = (try Process(accounts), try Process(accounts))
            try await there.feed.refresh()
            let entry = try await here.texts.change(Self.key, to: "Go!", by: admin)
            #expect(entry.own == "Go!" && entry.original == "Vote now")
            #expect(here.catalog.own(Self.key) == "Go!")
            #expect(there.catalog.own(Self.key) == nil)
            try await there.feed.refresh()
            #expect(there.catalog.own(Self.key) == "Go!")

            #expect(try await here.texts.restore(Self.key, by: admin).own == nil)
            try await there.feed.refresh()
            #expect(there.catalog.own(Self.key) == nil)
            #expect(try await here.texts.find(Self.key, by: admin).history.map(\.text) == [nil, "Go!"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The texts of a restored backup are shown`(kind: StoreUnderTest) async throws {
        try await OwnAccounts.with(kind) { accounts in
            try await OwnAccounts.with(kind) { backup in
                let admin = try await accounts.signIn("admin", role: .admin).principal.caller
                let process = try Process(accounts)
                for text in ["Go!", "Hop on", "Off we go"] {
                    _ = try await process.texts.change(Self.key, to: text, by: admin)
                }
                let day = CalendarDay(instant: backup.accounts.clock.now, in: .gmt)
                try await backup.stores.changeText(Self.key, TextChange(text: "Go!", day: day))
                try await TextFeed(catalog: process.catalog, store: backup.stores.rows).refresh()
                #expect(process.catalog.own(Self.key) == "Go!")
            }
        }
    }

    @Test func `The same text again is no change`() async throws {
        try await OwnAccounts.with(.sqlite) { accounts in
            let admin = try await accounts.signIn("admin", role: .admin).principal.caller
            let process = try Process(accounts)
            _ = try await process.texts.restore(Self.key, by: admin)
            for text in ["Vote now", "Go!", " Go! "] {
                _ = try await process.texts.change(Self.key, to: text, by: admin)
            }
            #expect(try await process.texts.find(Self.key, by: admin).history.map(\.text) == ["Go!"])
            #expect(try await process.texts.change(Self.key, to: "Vote now", by: admin).own == nil)
        }
    }

    @Test func `Texts are found by name, original and custom text`() async throws {
        try await OwnAccounts.with(.sqlite) { accounts in
            let admin = try await accounts.signIn("admin", role: .admin).principal.caller
            let process = try Process(accounts)
            _ = try await process.texts.change(Self.key, to: "Hop on", by: admin)
            for search in ["LIVE.VOTE", "vote NOW", "hop"] {
                let found = try await process.texts.list(in: .english, matching: search, by: admin)
                #expect(found.contains { $0.key == Self.key }, "\(search)")
            }
            #expect(try await process.texts.list(in: .english, onlyOwn: true, by: admin).map(\.key) == [Self.key])
            #expect(try await process.texts.list(in: .german, onlyOwn: true, by: admin).isEmpty)
            let all = try await process.texts.list(in: .english, by: admin).map(\.key.name)
            #expect(all.contains("live.vote") && !all.contains("calendar.months"))
        }
    }

    @Test func `Only administrators read or change texts`() async throws {
        try await OwnAccounts.with(.sqlite) { accounts in
            let member = try await accounts.signIn("anna").principal.caller
            let process = try Process(accounts)
            let calls: [() async throws -> Void] = [
                { _ = try await process.texts.list(in: .english, by: member) },
                { _ = try await process.texts.find(Self.key, by: member) },
                { _ = try await process.texts.change(Self.key, to: "Go!", by: member) },
                { _ = try await process.texts.restore(Self.key, by: member) },
            ]
            for call in calls {
                await #expect { try await call() } throws: { ($0 as? AppError)?.code == .forbidden }
            }
            #expect(try await accounts.stores.ownTexts().isEmpty)
        }
    }

    @Test func `A text that does not exist cannot be changed`() async throws {
        try await OwnAccounts.with(.sqlite) { accounts in
            let admin = try await accounts.signIn("admin", role: .admin).principal.caller
            let process = try Process(accounts)
            for name in [
                "live.gone", "live", "", "calendar.months", "calendar.shortMonths", "calendar.decimalPoint",
                "calendar.thousandsSeparator", "language.name", "dataExport.votes",
            ] {
                await #expect {
                    _ = try await process.texts.change(TextKey(name, in: .english), to: "x", by: admin)
                } throws: {
                    ($0 as? AppError)?.reason == .noSuchText
                }
            }
        }
    }
}
