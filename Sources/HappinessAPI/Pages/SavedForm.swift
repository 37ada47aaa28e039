/// A form that arrived after its sender's login had ended. To keep what they wrote until they have logged in again, it
/// is sealed into a page; it is never part of an address, and not stored on the server.
struct SavedForm: Codable, Sendable {
    /// A form field as received.
    struct Field: Codable, Sendable {
        let name: String
        let value: String

        /// Whether the user wrote the text, rather than choosing or just seeing it.
        var isWritten: Bool {
            name != SeenField.seen.rawValue && (value.contains(where: \.isWhitespace) || value.utf8.count > 40)
        }
    }

    /// The path it was sent to, without a query.
    let path: String
    /// In the page's order, without the form token.
    let fields: [Field]
    /// The form token, which identifies the sender.
    let formToken: String

    /// The value of a field; `nil` if it is missing.
    func value(of name: String) -> String? {
        fields.first { $0.name == name }?.value
    }
}
