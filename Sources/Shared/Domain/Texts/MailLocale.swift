import Synchronization

/// A language that pages, mails and messages are written in: one with a file in `templates/messages`.
///
/// A stored language may lack its file, for example after it was removed. It is read all the same, and its users get
/// English. Whatever comes from outside must name a language of the installation (`allCases`).
package struct MailLocale: RawRepresentable, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// The language subtag of BCP 47 in lower case, two or three letters: `de`. Also the name of its files.
    package let rawValue: String

    /// English, also used for every language without texts.
    package static let english = MailLocale(known: "en")
    /// German.
    package static let german = MailLocale(known: "de")

    /// Set once per process, before anything else: decoders and parsers of command lines have no argument to pass it.
    private static let installed = Mutex<[MailLocale]>([.english, .german])

    /// The languages of the installation, English first, then by code. Until `install`, those of the program's own
    /// files.
    package static var allCases: [MailLocale] { installed.withLock { $0 } }

    /// Sets the languages of the installation; English is always one. To be called once, when the program starts.
    package static func install(_ languages: some Sequence<MailLocale>) {
        let sorted = Set(languages).union([.english]).sorted()
        installed.withLock { $0 = sorted }
    }

    /// A well-formed code, whether or not the language is installed; `nil` for anything else.
    package init?(rawValue: String) {
        let isLowercase = rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        guard isLowercase, (2...3).contains(rawValue.utf8.count) else { return nil }
        self.rawValue = rawValue
    }

    private init(known code: String) { rawValue = code }

    /// An installed language by its exact code; `nil` for any other.
    package init?(installed code: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == code }) else { return nil }
        self = known
    }

    /// The same for command lines, of which it is a requirement (`ExpressibleByArgument`).
    package init?(argument: String) {
        self.init(installed: argument)
    }

    /// The best match for a BCP 47 tag such as `User.locale`: `de-AT` is German, `fr` English unless French is
    /// installed, and `und-x-de`, which an `AccountLanguage` may be, German.
    package init(tag: String) {
        let parts = tag.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).map(String.init)
        let language = parts.starts(with: ["und", "x"]) ? parts.dropFirst(2).first : parts.first
        self = language.flatMap(Self.init(installed:)) ?? .english
    }

    /// Decodes the code of an installed language.
    /// - Throws: `DecodingError` for any other text.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let code = try container.decode(String.self)
        guard let known = Self(installed: code) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no such language")
        }
        self = known
    }

    /// Encodes the code.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// English first, then by code.
    package static func < (left: Self, right: Self) -> Bool {
        if left == .english || right == .english { return left == .english && right != .english }
        return left.rawValue < right.rawValue
    }
}

extension AppError {
    /// There are no texts in this language.
    package static var noSuchLanguage: AppError {
        let known = MailLocale.allCases.map(\.rawValue).joined(separator: ", ")
        return AppError(
            .unprocessable, "There’s no such language here. There are: \(known).", reason: .noSuchLanguage)
    }
}
