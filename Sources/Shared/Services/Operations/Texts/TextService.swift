package import Domain
import Foundation
package import Ports
package import Storage

/// The installation's customised texts, which administrators read and change.
package struct TextService: Sendable {
    private let store: any Store
    private let catalog: TextCatalog
    private let feed: TextFeed
    private let clock: WallClock

    /// Creates a service over the texts of this process.
    package init(stores: Stores, catalog: TextCatalog, feed: TextFeed, clock: WallClock) {
        store = stores.rows
        self.catalog = catalog
        self.feed = feed
        self.clock = clock
    }

    /// A text as an administrator sees it.
    package struct Entry: Hashable, Sendable {
        /// The name and language of the text.
        package let key: TextKey
        /// The program's text.
        package let original: String
        /// The customised text, if there is one.
        package let own: String?
        /// The text in use.
        package var text: String { own ?? original }
    }

    /// The texts of a language, ordered by name.
    /// - Parameters:
    ///   - search: a part of the name, the original or the customised text, ignoring case; empty for all.
    ///   - onlyOwn: omit texts that are not customised.
    /// - Throws: `AppError.forbidden`.
    package func list(
        in language: MailLocale, matching search: String = "", onlyOwn: Bool = false, by caller: Caller
    ) async throws -> [Entry] {
        try await store.requireAdmin(caller)
        try await feed.refresh()
        let part = search.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        return catalog.names(in: language).compactMap { name in
            guard let entry = entry(TextKey(name, in: language)), !onlyOwn || entry.own != nil else { return nil }
            let texts = [name, entry.original, entry.own ?? ""]
            return part.isEmpty || texts.contains { $0.lowercased().contains(part) } ? entry : nil
        }
    }

    /// One text with its changes, the latest first.
    /// - Throws: `AppError`: `forbidden`, `notFound` (`no-such-text`).
    package func find(_ key: TextKey, by caller: Caller) async throws -> (entry: Entry, history: [TextChange]) {
        try await store.requireAdmin(caller)
        return (try await shown(key), try await store.read { try $0.textHistory(of: key) })
    }

    /// Customises a text. This process uses it immediately, others within seconds.
    /// - Parameter seen: the text to be replaced, which must still be in use; `nil` accepts any.
    /// - Throws: `AppError`: `forbidden`, `notFound` (`no-such-text`), `unprocessable` with the reason, `conflict`
    ///   (`changed-meanwhile`) if the present text is not `seen`.
    package func change(
        _ key: TextKey, to text: String, seen: String? = nil, by caller: Caller
    ) async throws -> Entry {
        try await store.requireAdmin(caller)
        guard let original = entry(key)?.original else { throw Self.noSuchText }
        let text = try TextRules.validated(text, inPlaceOf: original)
        // If stored, the original would stay in use after an update changes it.
        return try await save(text == original ? nil : text, as: key, seen: seen)
    }

    /// Restores the program's text; does nothing if it is in use.
    /// - Parameter seen: as in `change`.
    /// - Throws: `AppError`: `forbidden`, `notFound` (`no-such-text`), `conflict` (`changed-meanwhile`).
    package func restore(_ key: TextKey, seen: String? = nil, by caller: Caller) async throws -> Entry {
        try await store.requireAdmin(caller)
        guard entry(key) != nil else { throw Self.noSuchText }
        return try await save(nil, as: key, seen: seen)
    }

    /// - Parameter text: `nil` restores the program's.
    private func save(_ text: String?, as key: TextKey, seen: String?) async throws -> Entry {
        let change = TextChange(text: text, day: CalendarDay(instant: clock.now, in: .gmt))
        while true {
            let present = try await store.read { try $0.textHistory(of: key) }.first?.text
            if present == text { break }
            // The text in use may differ from the stored one: customised texts that no longer fit are dropped.
            if let seen, try await shown(key).text != seen { throw AppError.seenChanged }
            // If another change happens between reading and writing, it is read again.
            if try await store.write({ try $0.changeText(key, change, from: present) }) { break }
        }
        return try await shown(key)
    }

    /// The text at this moment.
    private func shown(_ key: TextKey) async throws -> Entry {
        try await feed.refresh()
        guard let entry = entry(key) else { throw Self.noSuchText }
        return entry
    }

    private func entry(_ key: TextKey) -> Entry? {
        guard TextRules.canChange(key.name), let original = catalog.original(of: key) else { return nil }
        return Entry(key: key, original: original, own: catalog.own(key))
    }

    private static let noSuchText = AppError(
        .notFound, "This text doesn’t exist or can’t be changed.", reason: .noSuchText)
}
