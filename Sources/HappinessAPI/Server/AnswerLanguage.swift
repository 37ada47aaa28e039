import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Services

/// The language of sentences in answers of the API, those of errors included.
///
/// The one that the request prefers by `Accept-Language`. If it names none of the installation's: that of the account,
/// if the caller is logged in, else English. A log-in that fails must not answer in the language of the account, which
/// would tell that there is one.
struct AnswerLanguage: Sendable {
    let texts: TextCatalog
    let accounts: AccountService

    /// The texts for an answer.
    /// - Parameter caller: `nil` for nobody, or if the account must not be read.
    func words(for request: Request, of caller: Principal?) async -> LocalizedTexts {
        if let preferred = MailLocale(preferredBy: request.headers) { return texts.words(in: preferred) }
        guard let caller else { return texts.words(in: .english) }
        do {
            return texts.words(in: try await accounts.find(caller)?.language.locale ?? .english)
        } catch {
            // What the answer says is done already. In English it is still true.
            return texts.words(in: .english)
        }
    }

    /// The texts for an answer to someone who has just logged in.
    func words(for request: Request, of user: User) -> LocalizedTexts {
        texts.words(in: MailLocale(preferredBy: request.headers) ?? user.language.locale)
    }

    /// An answer that has nothing but a sentence.
    func response(
        _ sentence: Sentence, to request: Request, of caller: Principal?, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let words = await words(for: request, of: caller)
        return try JSONBody.response(ClassicMessage(message: words.text(for: sentence)), status: status, in: words)
    }
}

extension JSONBody {
    /// A response that must not be cached, with sentences in a language.
    static func response(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, in words: LocalizedTexts
    ) throws -> Response {
        var response = try response(value, status: status)
        response.headers.name(words.language)
        return response
    }
}

extension HTTPFields {
    /// Names the language of the content, and the header that has chosen it.
    mutating func name(_ language: MailLocale) {
        self[.contentLanguage] = language.rawValue
        self[.vary] = "Accept-Language"
    }
}

extension MailLocale {
    /// The language that a request prefers by `Accept-Language`; `nil` if it has no such header, or one that names none
    /// of the installation's. A `*` is no preference.
    init?(preferredBy headers: HTTPFields) {
        guard let header = headers[.acceptLanguage] else { return nil }
        self.init(acceptLanguage: header)
    }

    /// The best match for `Accept-Language` (RFC 9110 §12.5.4): the first of those with the highest weight.
    init?(acceptLanguage header: String) {
        var best: (language: MailLocale, weight: Double)?
        // A browser sends a handful of entries; reading 20 bounds the cost of a header with thousands.
        for range in header.split(separator: ",").prefix(20) {
            let parts = range.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let tag = parts.first, let language = MailLocale(range: tag) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        guard let best else { return nil }
        self = best.language
    }

    /// By the first subtag of a BCP 47 tag such as `de-AT`; `nil` for a language that is not installed.
    init?(range tag: some StringProtocol) {
        self.init(installed: tag.prefix { $0 != "-" && $0 != "_" }.lowercased())
    }
}
