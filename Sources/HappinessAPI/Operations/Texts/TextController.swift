import Domain
import Hummingbird
import Services

/// The installation's custom texts, for administrators.
struct TextController: Sendable {
    let texts: TextService

    /// `GET /api/v1/admin/texts?language=&search=&own=`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let entries = try await texts.list(
            in: try request.choice("language", default: MailLocale.english), matching: request.query("search") ?? "",
            onlyOwn: try request.flag("own"), by: try context.requirePrincipal().caller)
        return try JSONBody.response(["texts": entries.map { TextResponse($0) }])
    }

    /// `GET /api/v1/admin/texts/{language}/{text}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let found = try await texts.find(context.textKey, by: try context.requirePrincipal().caller)
        return try JSONBody.response(TextResponse(found.entry, history: found.history))
    }

    private struct ChangeRequest: Decodable {
        let text: String
    }

    /// `PUT /api/v1/admin/texts/{language}/{text}`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let body = try await request.json(as: ChangeRequest.self)
        return try JSONBody.response(TextResponse(try await texts.change(context.textKey, to: body.text, by: caller)))
    }

    /// `DELETE /api/v1/admin/texts/{language}/{text}`: restores the original; succeeds if there is no custom text.
    func restore(_ request: Request, context: AppRequestContext) async throws -> Response {
        _ = try await texts.restore(context.textKey, by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }
}

private struct TextResponse: Encodable {
    let language: String
    let key: String
    let original: String
    /// Missing while the original is in use.
    let own: String?
    /// Placeholders that a custom text must contain.
    let placeholders: [String]
    /// Latest first; only in the response about one text.
    let history: [Change]?

    struct Change: Encodable {
        /// A day.
        let day: String
        /// Missing if the original was restored.
        let text: String?
    }

    init(_ entry: TextService.Entry, history: [TextChange]? = nil) {
        language = entry.key.language.rawValue
        key = entry.key.name
        original = entry.original
        own = entry.own
        placeholders = TextRules.placeholders(of: entry.original)
        self.history = history?.map { Change(day: $0.day.description, text: $0.text) }
    }
}

extension AppRequestContext {
    /// A text in the path, `…/{language}/{text}`. For an unknown language, a key that does not exist.
    var textKey: TextKey {
        guard let language = parameters.get("language").flatMap(MailLocale.init(installed:)) else {
            return TextKey("", in: .english)
        }
        return TextKey(parameters.get("text") ?? "", in: language)
    }
}
