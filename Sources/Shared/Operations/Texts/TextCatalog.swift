import Foundation
import Synchronization

/// The texts as they are shown now, in every language: the program's, read once at start, with the installation's own in
/// their places. Reading costs a lock and asks no store.
public final class TextCatalog: Sendable {
    /// Texts by section and key.
    public typealias Sections = [String: [String: String]]

    private struct State {
        var shown: [MailLocale: Sections]
        var own: [TextKey: String] = [:]
        /// `TextStore.version` of `own`; `nil` before the first reading.
        var version: Int?
        /// The latest that began of the readings that came to their end.
        var latest: Reading?
        /// How many have begun.
        var readings = 0

        /// A slower reading must not bring back what was there before: of two that go on at once the one that began later
        /// counts.
        func isOpen(to reading: Reading) -> Bool {
            latest.map { $0 < reading } ?? true
        }
    }

    /// A reading of the store, in the order in which they begin.
    struct Reading: Hashable, Comparable, Sendable {
        fileprivate let number: Int

        static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    private let originals: [MailLocale: Sections]
    private let state: Mutex<State>

    /// - Throws: an error of the file system or of the decoder: then the installation is not whole.
    public init(resources: Resources) throws {
        var originals: [MailLocale: Sections] = [:]
        for language in MailLocale.allCases {
            let data = try resources.data("templates/messages/\(language.rawValue).json")
            originals[language] = try JSONDecoder().decode(Sections.self, from: data)
        }
        self.originals = originals
        state = Mutex(State(shown: originals))
    }

    /// What is shown in a language.
    public func sections(in language: MailLocale) -> Sections {
        state.withLock { $0.shown[language] ?? [:] }
    }

    /// The program's text; `nil` if there is none of this name.
    public func original(of key: TextKey) -> String? {
        Self.text(key.name, in: originals[key.language] ?? [:])
    }

    /// The own text that is shown, if there is one.
    public func own(_ key: TextKey) -> String? {
        state.withLock { $0.own[key] }
    }

    /// All names, sorted.
    public func names(in language: MailLocale) -> [String] {
        (originals[language] ?? [:]).flatMap { section, texts in texts.keys.map { "\(section).\($0)" } }.sorted()
    }

    /// To be called before anything is read.
    func beginReading() -> Reading {
        state.withLock { state in
            state.readings += 1
            return Reading(number: state.readings)
        }
    }

    /// Ends a reading that found this version, if there is nothing to do: it is shown already, or a reading that began later
    /// came to its end.
    /// - Returns: whether it ended.
    func isShown(_ version: Int, by reading: Reading) -> Bool {
        state.withLock { state in
            guard state.isOpen(to: reading) else { return true }
            guard state.version == version else { return false }
            state.latest = reading
            return true
        }
    }

    /// Ends a reading: shows its own texts in place of all earlier ones, whatever their version. After a backup was restored
    /// it is a lower one. Those that no longer fit, after an update of the program, are left out: the original is better
    /// than a sentence without its number.
    func show(_ own: [OwnText], version: Int, of reading: Reading) {
        let fitting = own.filter { text in
            guard TextRules.canChange(text.key.name), let original = original(of: text.key) else { return false }
            return Set(TextRules.placeholders(of: original)) == Set(TextRules.placeholders(of: text.text))
        }
        var shown = originals
        for text in fitting {
            guard let (section, key) = Self.parts(of: text.key.name) else { continue }
            shown[text.key.language]?[section]?[key] = text.text
        }
        let texts = Dictionary(fitting.map { ($0.key, $0.text) }) { $1 }
        state.withLock { state in
            guard state.isOpen(to: reading) else { return }
            (state.shown, state.own, state.version, state.latest) = (shown, texts, version, reading)
        }
    }

    private static func text(_ name: String, in sections: Sections) -> String? {
        parts(of: name).flatMap { sections[$0.section]?[$0.key] }
    }

    private static func parts(of name: String) -> (section: String, key: String)? {
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
