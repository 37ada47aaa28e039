/// The languages mails are written in.
package enum MailLocale: String, Sendable, Codable, CaseIterable {
    /// English, also used for every language without templates.
    case english = "en"
    /// German.
    case german = "de"

    /// The best match for a BCP 47 tag such as `User.locale`: `de-AT` is German, `fr` English, and `und-x-de`, which an
    /// `AccountLanguage` may be, German.
    package init(tag: String) {
        let parts = tag.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).map(String.init)
        let language = parts.starts(with: ["und", "x"]) ? parts.dropFirst(2).first : parts.first
        self = language.flatMap(Self.init(rawValue:)) ?? .english
    }
}

extension AppError {
    /// There are no mail templates in this language.
    package static var noSuchLanguage: AppError {
        let known = MailLocale.allCases.map(\.rawValue).joined(separator: ", ")
        return AppError(
            .refused, "There’s no such language here. There are: \(known).", reason: "no-such-language")
    }
}
