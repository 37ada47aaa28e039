import Domain
import Hummingbird
import Services

/// Lists the texts of all pages, and lets administrators replace them.
struct AdminTextPageController: Sendable {
    let forms: PageForms<TextNotice>
    let texts: TextService

    /// `GET /admin/texts?in=&search=&own=`; defaults to the page's language.
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            let language = request.field("in").flatMap(MailLocale.init(installed:)) ?? visit.frame.language.mailLocale
            let filter = AdminTextListPage.Filter(
                language: language, search: request.field("search") ?? "", onlyOwn: request.field("own") != nil)
            let entries = try await texts.list(
                in: language, matching: filter.search, onlyOwn: filter.onlyOwn, by: visit.principal.caller)
            return AdminTextListPage(entries, filter: filter, visit: visit)
        }
    }

    /// `GET /admin/texts/{language}/{text}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0, of: context.textKey) }
    }

    /// The typed text, and the one the page showed.
    private typealias Form = EditForm<TextFields>

    /// `POST /admin/texts/{language}/{text}`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let key = context.textKey
        var typed: Form?
        return try await forms.submit(Form.self, request, context) {
            try await page($0, of: key, typed: typed)
        } response: { form, visit in
            typed = form
            do {
                _ = try await texts.change(key, to: form.typed.text, seen: form.seen.text, by: visit.principal.caller)
            } catch let error as AppError where error.reason == .textPlaceholders {
                let entry = try await texts.find(key, by: visit.principal.caller).entry
                throw FormProblem(AdminTextPage.placeholderRule(of: entry.original, visit.words))
            }
            return Self.done(.changed, at: key)
        }
    }

    /// `POST /admin/texts/{language}/{text}/original`
    func restore(_ request: Request, context: AppRequestContext) async throws -> Response {
        let key = context.textKey
        return try await forms.submit(ShownFields<TextFields>.self, request, context) {
            try await page($0, of: key)
        } response: { form, visit in
            _ = try await texts.restore(key, seen: form.fields.text, by: visit.principal.caller)
            return Self.done(.restored, at: key)
        }
    }

    /// - Parameter typed: initial value of the field. The page then shows the current text and sends it along, so
    ///   sending the form again overwrites the other change knowingly.
    private func page(_ visit: PageVisit, of key: TextKey, typed: Form? = nil) async throws -> AdminTextPage {
        let found = try await texts.find(key, by: visit.principal.caller)
        let present = TextFields(text: found.entry.text)
        // English next to any other language, and next to English the page's language or the first other one.
        let others = [visit.frame.language.mailLocale] + MailLocale.allCases
        var other: TextService.Entry?
        let language = key.language == .english ? others.first { $0 != .english } : MailLocale.english
        if let language {
            other = try await texts.find(TextKey(key.name, in: language), by: visit.principal.caller).entry
        }
        return AdminTextPage(
            found.entry, other: other, history: found.history, seen: try ShownFields(present).text(),
            typed: typed?.typed.text, isChanged: typed.map { $0.seen != present } ?? false, visit: visit)
    }

    private static func done(_ notice: TextNotice, at key: TextKey) -> Response {
        .seeOther(.adminText(key).adding("done", notice.addressName))
    }
}

struct TextFields: Codable, Equatable, Sendable {
    let text: String
}
