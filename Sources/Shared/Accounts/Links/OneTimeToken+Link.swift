extension OneTimeToken.Purpose {
    /// The page a link leads to. Its `GET` shows a form and changes nothing, for mail scanners open links.
    public var pagePath: String {
        switch self {
        // The first clients' service had it there.
        case .passwordReset: "/user/resetPassword"
        case .emailChange: "/confirm-email"
        case .invitation: "/invitation"
        case .registration: "/registration"
        // Printed on the server's console.
        case .setup: "/setup"
        // Never mailed, but shown on a page for an app to send; as a link it would lead nowhere else.
        case .logIn: "/"
        }
    }

    /// The link that is mailed.
    /// - Parameters:
    ///   - publicURL: `ServerSettings.publicURL`, never anything from a request.
    ///   - token: the text that `OneTimeToken.make` gave; base64url, so it needs no escaping.
    public func link(publicURL: String, token: String) -> String {
        "\(publicURL)\(pagePath)?token=\(token)"
    }
}

extension AppError {
    /// A mailed link that does not count: expired, used, replaced, for an address that has changed since, or made up.
    /// One answer to all of them.
    public static let linkExpired = AppError(
        .refused, "This link does not count any more: it was used, or is too old. Please ask for a new one.",
        reason: "link-expired")
}
