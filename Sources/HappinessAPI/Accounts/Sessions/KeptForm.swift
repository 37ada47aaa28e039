import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Shared

/// A form of ours that came when its sender's log-in had ended. So that nothing they wrote is lost, it waits until they
/// have logged in again: sealed in a page that leads them there, never in an address, and nowhere on the server.
struct KeptForm: Codable, Sendable {
    /// A field as it was sent.
    struct Field: Codable, Sendable {
        let name: String
        let value: String

        /// Whether somebody wrote this, and did not choose it or merely have it shown.
        var isWritten: Bool {
            name != SeenField.seen.rawValue && (value.contains(where: \.isWhitespace) || value.utf8.count > 40)
        }
    }

    /// Where it was sent to, without a query.
    let path: String
    /// In the page's order, without the form's token.
    let fields: [Field]
    /// The form's token, which tells whose it was.
    let formToken: String

    /// The value of a field; `nil` if it has none of that name.
    func value(of name: String) -> String? {
        fields.first { $0.name == name }?.value
    }
}

/// Keeps forms for those who sent them.
struct KeptForms: Sendable {
    let sealed: SealedText
    let formTokens: FormTokens

    /// Bytes of a form that is kept; sealed it still fits into a form. The longest feedback does.
    private static let limit = 32 * 1024
    private static let formTokenName = "formToken"

    /// The form of a request, sealed; `nil` for one that is better filled in again: nothing was written, or a password,
    /// which stands in no page.
    func keep(_ request: Request) async throws -> String? {
        guard let type = request.headers[.contentType], type.isMediaType("application/x-www-form-urlencoded") else {
            return nil
        }
        let body = String(buffer: try await request.collectedBody(limit: Request.ordinaryLimit))
        // Which texts have no lines is looked at when the form is sent again.
        if let problem = ControlCharacters.problem(inForm: body, hasLines: true) { throw problem }
        let fields = Self.fields(of: body)
        let typed = fields.filter { $0.name != Self.formTokenName }
        guard let token = fields.first(where: { $0.name == Self.formTokenName })?.value,
            typed.contains(where: { $0.isWritten || $0.name == VotePages.valueField }),
            !typed.contains(where: Self.isSecret)
        else { return nil }
        let form = KeptForm(path: LocalPath(request.uri.path).text, fields: typed, formToken: token)
        let bytes = try JSONEncoder().encode(form)
        return bytes.count <= Self.limit ? try sealed.seal(bytes) : nil
    }

    /// A form that `keep` sealed, if it is this person's.
    func open(_ text: String, for userID: User.ID) -> KeptForm? {
        guard let data = sealed.open(text), let form = try? JSONDecoder().decode(KeptForm.self, from: data),
            formTokens.isFrom(userID, form.formToken)
        else { return nil }
        return form
    }

    private static func isSecret(_ field: KeptForm.Field) -> Bool {
        let name = field.name.lowercased()
        return name.contains("password") || name == "current" || name == "repeat"
    }

    /// `application/x-www-form-urlencoded` (URL Standard §5.1), in order; what cannot be read is left out.
    private static func fields(of body: String) -> [KeptForm.Field] {
        body.split(separator: "&").compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: "%20").removingPercentEncoding }
            guard parts.count == 2, let name = parts[0], let value = parts[1] else { return nil }
            return KeptForm.Field(name: name, value: value)
        }
    }
}
