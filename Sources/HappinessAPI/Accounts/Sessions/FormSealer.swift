import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Seals and opens kept forms.
struct FormSealer: Sendable {
    let sealed: SealedText
    let formTokens: FormTokens

    /// Maximum size in bytes; the sealed form must fit into a form too. The longest feedback does.
    private static let limit = 32 * 1024
    private static let formTokenName = "formToken"

    /// The sealed form of a request; `nil` if it should be filled in again: it contains no written text, or it contains
    /// a password, which must not appear in a page.
    func keep(_ request: Request) async throws -> String? {
        guard let type = request.headers[.contentType], type.isMediaType(FormBody.mediaType) else {
            return nil
        }
        let body = String(buffer: try await request.collectedBody(limit: Request.ordinaryLimit))
        // Line breaks are checked per field when the form is sent again.
        if let problem = ControlCharacters.problem(inForm: body, hasLines: true) { throw problem }
        let fields = Self.fields(of: body)
        let typed = fields.filter { $0.name != Self.formTokenName }
        guard let token = fields.first(where: { $0.name == Self.formTokenName })?.value,
            typed.contains(where: { $0.isWritten || $0.name == VotePageController.valueField }),
            !typed.contains(where: Self.isSecret)
        else { return nil }
        let form = SavedForm(path: SitePath(sent: request.uri.path).path, fields: typed, formToken: token)
        let bytes = try JSONEncoder().encode(form)
        return bytes.count <= Self.limit ? try sealed.seal(bytes) : nil
    }

    /// Opens a form that `keep` sealed; `nil` unless it belongs to this user.
    func open(_ text: String, for userID: User.ID) -> SavedForm? {
        guard let data = sealed.open(text), let form = try? JSONDecoder().decode(SavedForm.self, from: data),
            formTokens.isFrom(userID, form.formToken)
        else { return nil }
        return form
    }

    private static func isSecret(_ field: SavedForm.Field) -> Bool {
        let name = field.name.lowercased()
        return name.contains("password") || name == "current" || name == "repeat"
    }

    /// Decodes `application/x-www-form-urlencoded` (URL Standard §5.1) in order; skips invalid fields.
    private static func fields(of body: String) -> [SavedForm.Field] {
        body.split(separator: "&").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: "%20").removingPercentEncoding }
            guard parts.count == 2, let name = parts[0], let value = parts[1] else { return nil }
            return SavedForm.Field(name: name, value: value)
        }
    }
}
