import Foundation
import HTTPTypes
import Hummingbird
import Shared

/// The languages pages are written in.
enum PageLanguage: String, Sendable, CaseIterable {
    /// English; also for whoever understands neither.
    case english = "en"
    /// German.
    case german = "de"

    /// What the address says with `?language=`, else the language that the user chose whom the page is for
    /// (`AccountLanguage`), else the first of the browser's.
    /// - Parameter userLocale: `User.locale`, when it is known who looks at the page.
    init(_ request: Request, userLocale: String? = nil) {
        self =
            request.query("language").flatMap(Self.init(tag:)) ?? userLocale.flatMap(Self.init(tag:))
            ?? Self(acceptLanguage: request.headers[.acceptLanguage] ?? "")
    }

    /// The best for `Accept-Language` (RFC 9110 §12.5.4): of those with the highest weight the first.
    init(acceptLanguage: String) {
        var best: (language: PageLanguage, weight: Double)?
        // A browser sends a handful; whoever sends thousands has the first ones read.
        for range in acceptLanguage.split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let tag = parts.first, let language = Self(tag: tag) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        self = best?.language ?? .english
    }

    /// By the first part of a BCP 47 tag, such as `de-AT`; `nil` for a language that no page is in.
    init?(tag: String) {
        self.init(rawValue: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
    }

    /// The same for mails.
    var mailLocale: MailLocale {
        switch self {
        case .english: .english
        case .german: .german
        }
    }

    /// The one to switch to.
    var other: PageLanguage {
        switch self {
        case .english: .german
        case .german: .english
        }
    }
}
