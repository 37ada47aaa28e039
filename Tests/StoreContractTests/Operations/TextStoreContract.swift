import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// The contract of both stores for the installation's custom texts.
@Suite struct TextStoreContract {
    private static let vote = TextKey("live.vote", in: .german)

    private static func change(_ text: String?, on day: String = "2026-01-25") throws -> TextChange {
        TextChange(text: text, day: try #require(CalendarDay(day)))
    }

    @Test(arguments: StoreUnderTest.all)
    func `A new store has no custom texts`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let history = try await stores.read { try $0.textHistory(of: Self.vote) }
            let versions = [
                try await stores.read { try $0.textVersion() }, try await stores.read { try $0.textVersion() },
            ]
            #expect(try await stores.ownTexts().isEmpty)
            #expect(history.isEmpty && versions[0] == versions[1])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The latest change is valid, and each language has its own`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let english = TextKey("live.vote", in: .english)
            let hostile = "'; DROP TABLE users; -- \"$where\" 🎉"
            try await stores.changeText(Self.vote, try Self.change("Los!"))
            try await stores.changeText(english, try Self.change("Go!"))
            try await stores.changeText(Self.vote, try Self.change(hostile, on: "2026-01-26"))
            let list = try await stores.ownTexts()
            #expect(Set(list) == [OwnText(key: Self.vote, text: hostile), OwnText(key: english, text: "Go!")])
            #expect(
                try await stores.read { try $0.textHistory(of: Self.vote) }
                    == [Self.change(hostile, on: "2026-01-26"), Self.change("Los!")])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The original is restored, and its history stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            try await stores.changeText(Self.vote, try Self.change("Los!"))
            try await stores.changeText(Self.vote, try Self.change(nil))
            #expect(try await stores.ownTexts().isEmpty)
            #expect(
                try await stores.read { try $0.textHistory(of: Self.vote) } == [Self.change(nil), Self.change("Los!")])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Only the latest changes are kept`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for number in 1...25 { try await stores.changeText(Self.vote, try Self.change("Text \(number)")) }
            let history = try await stores.read { try $0.textHistory(of: Self.vote) }
            #expect(history.map(\.text) == (6...25).reversed().map { "Text \($0)" })
            #expect(history.count == TextChange.maximumCount)
            #expect(try await stores.ownTexts().map(\.text) == ["Text 25"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Every change has another version, even many at once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let before = try await stores.read { try $0.textVersion() }
            try await stores.changeText(Self.vote, try Self.change("Los!"))
            let one = try await stores.read { try $0.textVersion() }
            #expect(one != before)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    let key = TextKey("live.text\(number % 2)", in: .english)
                    let change = try Self.change("Text \(number)")
                    group.addTask { try await stores.changeText(key, change) }
                }
                try await group.waitForAll()
            }
            #expect(try await stores.read { try $0.textVersion() } == one + 8)
            #expect(try await stores.ownTexts().count == 3)
        }
    }
}
