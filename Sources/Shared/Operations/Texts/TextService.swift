import Foundation

/// The installation's own texts: administrators read and change them.
public struct TextService: Sendable {
    private let stores: Stores
    private let catalog: TextCatalog
    private let feed: TextFeed
    private let clock: WallClock

    /// Over the texts of this process.
    public init(stores: Stores, catalog: TextCatalog, feed: TextFeed, clock: WallClock) {
        self.stores = stores
        self.catalog = catalog
        self.feed = feed
        self.clock = clock
    }

    /// A text as an administrator sees it.
    public struct Entry: Hashable, Sendable {
        /// Which one.
        public let key: TextKey
        /// The program's.
        public let original: String
        /// The installation's, if it has one.
        public let own: String?
        /// The one that is shown.
        public var text: String { own ?? original }
    }

    /// The texts of a language, in order of their names.
    /// - Parameters:
    ///   - search: a part of the name, the original or the own text, in any case; empty for all.
    ///   - onlyOwn: leave out those that nobody changed.
    /// - Throws: `AppError.forbidden`.
    public func list(
        in language: MailLocale, matching search: String = "", onlyOwn: Bool = false, by caller: Caller
    ) async throws -> [Entry] {
        try await stores.users.requireAdmin(caller)
        try await feed.refresh()
        let part = search.lowercased()
        return catalog.names(in: language).compactMap { name in
            guard let entry = entry(TextKey(name, in: language)), !onlyOwn || entry.own != nil else { return nil }
            let texts = [name, entry.original, entry.own ?? ""]
            return part.isEmpty || texts.contains { $0.lowercased().contains(part) } ? entry : nil
        }
    }

    /// One text, and the outcome, the latest first.
    /// - Throws: `AppError`: `forbidden`, `notFound` (`no-such-text`).
    public func find(_ key: TextKey, by caller: Caller) async throws -> (entry: Entry, history: [TextChange]) {
        try await stores.users.requireAdmin(caller)
        return (try await shown(key), try await stores.texts.history(of: key))
    }

    /// Puts a text in the place of the program's. It is shown here at once, and by other processes within seconds.
    /// - Parameter seen: what is replaced, if only that is to be; `nil` for whatever there is.
    /// - Throws: `AppError`: `forbidden`, `notFound` (`no-such-text`), `refused` with the reason, `conflict`
    ///   (`changed-meanwhile`) if there is another text than `seen` by now.
    public func change(
        _ key: TextKey, to text: String, seen: String? = nil, by caller: Caller
    ) async throws -> Entry {
        try await stores.users.requireAdmin(caller)
        guard let original = entry(key)?.original else { throw Self.noSuchText }
        let text = try TextRules.validated(text, inPlaceOf: original)
        // The original in its own place would stay when an update changes it.
        return try await store(text == original ? nil : text, as: key, seen: seen)
    }

    /// Brings the program's text back; nothing to do if it is there.
    /// - Parameter seen: as in `change`.
    /// - Throws: `AppError`: `forbidden`, `notFound` (`no-such-text`), `conflict` (`changed-meanwhile`).
    public func restore(_ key: TextKey, seen: String? = nil, by caller: Caller) async throws -> Entry {
        try await stores.users.requireAdmin(caller)
        guard entry(key) != nil else { throw Self.noSuchText }
        return try await store(nil, as: key, seen: seen)
    }

    /// - Parameter text: `nil` for the program's.
    private func store(_ text: String?, as key: TextKey, seen: String?) async throws -> Entry {
        let change = TextChange(text: text, day: CalendarDay(instant: clock.now, in: .gmt))
        while true {
            let present = try await stores.texts.history(of: key).first?.text
            if present == text { break }
            // What is shown need not be what is stored: own texts that do not fit any more are left out.
            if let seen, try await shown(key).text != seen { throw AppError.seenChanged }
            // Should somebody be faster between reading and writing, it is read again.
            if try await stores.texts.change(key, change, from: present) { break }
        }
        return try await shown(key)
    }

    /// A text as it is by now.
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
        .notFound, "There is no such text that can be changed.", reason: "no-such-text")
}
