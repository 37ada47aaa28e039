import HTTPTypes

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name.constant("Referrer-Policy")

    /// A header name that is known to be valid; avoids a force unwrap at each use.
    static func constant(_ name: StaticString) -> HTTPField.Name {
        HTTPField.Name("\(name)") ?? .contentType
    }
}
