package import Domain
import Foundation
import Ports
import Synchronization

/// The current texts in every language: the program's, read once at start, with the installation's customised texts in
/// their places. Reading takes a lock and does not access the store.
///
/// A language is a file in `templates/messages`. Texts it lacks are English.
package final class TextCatalog: TextSource {
    /// Texts by section and key.
    package typealias Sections = [String: [String: String]]

    private struct State {
        var shown: [MailLocale: Sections]
        var own: [TextKey: String] = [:]
        /// `TextRows.textVersion` of `own`; `nil` before the first reading.
        var version: Int?
        /// The most recently started of the completed readings.
        var latest: Reading?
        /// Number of readings started.
        var readings = 0

        /// A slower reading must not restore older texts: of two concurrent readings, the one that started later wins.
        func isOpen(to reading: Reading) -> Bool {
            latest.map { $0 < reading } ?? true
        }
    }

    /// A reading of the store, ordered by start.
    struct Reading: Hashable, Comparable, Sendable {
        fileprivate let number: Int

        static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    /// The texts that a language's file lacks, or that have other placeholders than the English ones: they are shown in
    /// English. By language, sorted; empty for a complete installation.
    package let missing: [MailLocale: [String]]

    private let originals: [MailLocale: Sections]
    private let state: Mutex<State>

    /// The languages that have a file, English first. Other files in the folder are ignored.
    /// - Throws: an error of the file system.
    package static func languages(in resources: Resources) throws -> [MailLocale] {
        try resources.names(in: "templates/messages").filter { $0.hasSuffix(".json") }
            .compactMap { MailLocale(rawValue: String($0.dropLast(".json".count))) }.sorted()
    }

    /// - Throws: an error of the file system or of the decoder, which means that the installation is incomplete.
    package init(resources: Resources) throws {
        func read(_ language: MailLocale) throws -> Sections {
            let data = try resources.data("templates/messages/\(language.rawValue).json")
            return try JSONDecoder().decode(Sections.self, from: data)
        }
        let english = try read(.english)
        var originals = [MailLocale.english: english]
        var missing: [MailLocale: [String]] = [:]
        for language in try Self.languages(in: resources) where language != .english {
            let (complete, lacking) = Self.completed(try read(language), from: english)
            originals[language] = complete
            missing[language] = lacking.isEmpty ? nil : lacking
        }
        self.originals = originals
        self.missing = missing
        state = Mutex(State(shown: originals))
    }

    /// A language's texts, and the English ones in the places of those that are missing or do not fit.
    private static func completed(_ texts: Sections, from english: Sections) -> (Sections, lacking: [String]) {
        var lacking: [String] = []
        var complete = texts
        for (section, originals) in english {
            for (key, original) in originals {
                if let text = texts[section]?[key],
                    Set(TextRules.placeholders(of: text)) == Set(TextRules.placeholders(of: original))
                {
                    continue
                }
                complete[section, default: [:]][key] = original
                lacking.append("\(section).\(key)")
            }
        }
        return (complete, lacking.sorted())
    }

    /// The current texts of a language; the English ones if it has none.
    package func sections(in language: MailLocale) -> Sections {
        state.withLock { $0.shown[language] ?? $0.shown[.english] ?? [:] }
    }

    /// The current texts of a language; the English ones if it has none.
    package func words(in language: MailLocale) -> LocalizedTexts { texts[language] }

    /// All current texts.
    package var texts: Texts {
        let shown = state.withLock { $0.shown }
        let languages = shown.sorted { $0.key < $1.key }.map { locale, sections in
            LocalizedTexts.Language(locale, name: LocalizedTexts(sections: sections).text("language.name"))
        }
        return Texts(
            Dictionary(
                uniqueKeysWithValues: shown.map { locale, sections in
                    (locale, LocalizedTexts(language: locale, languages: languages, sections: sections))
                }))
    }

    /// Changes whenever a customised text does: `TextRows.textVersion` of the texts in use.
    package var version: Int? { state.withLock { $0.version } }

    /// The program's text; `nil` if the name is unknown.
    package func original(of key: TextKey) -> String? {
        Self.text(key.name, in: originals[key.language] ?? [:])
    }

    /// The customised text in use, if there is one.
    package func own(_ key: TextKey) -> String? {
        state.withLock { $0.own[key] }
    }

    /// All names, sorted.
    package func names(in language: MailLocale) -> [String] {
        (originals[language] ?? [:]).flatMap { section, texts in texts.keys.map { "\(section).\($0)" } }.sorted()
    }

    /// Call this before reading anything.
    func beginReading() -> Reading {
        state.withLock { state in
            state.readings += 1
            return Reading(number: state.readings)
        }
    }

    /// Ends a reading that found this version if nothing needs to be done: the version is already in use, or a reading
    /// that started later is complete.
    /// - Returns: whether it ended.
    func isShown(_ version: Int, by reading: Reading) -> Bool {
        state.withLock { state in
            guard state.isOpen(to: reading) else { return true }
            guard state.version == version else { return false }
            state.latest = reading
            return true
        }
    }

    /// Ends a reading: replaces all customised texts, whatever their version. After a restore the version is lower.
    /// Texts that no longer fit after an update of the program are dropped: the original is better than a sentence
    /// without its number.
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
