extension OneTimeToken.Purpose {
    /// The path of the link's page. Its `GET` shows a form and changes nothing, because mail scanners open links.
    package var pagePath: String {
        switch self {
        // The path the first clients' service used.
        case .passwordReset: "/user/resetPassword"
        case .emailChange: "/confirm-email"
        case .invitation: "/invitation"
        case .registration: "/registration"
        // Printed on the server's console.
        case .setup: "/setup"
        // Never mailed: a page shows it for an app to send. As a link it would lead nowhere else.
        case .logIn: "/"
        // Never mailed: a page shows it once.
        case .calendar: "/calendar"
        // Nobody has its text.
        case .unconfirmedLogIn: "/"
        }
    }

    /// The link for the mail.
    /// - Parameters:
    ///   - publicURL: `ServerSettings.publicURL`, never taken from a request.
    ///   - token: the text returned by `OneTimeToken.make`; base64url, so it needs no escaping.
    package func link(publicURL: String, token: String) -> String {
        "\(publicURL)\(pagePath)?token=\(token)"
    }
}

extension AppError {
    /// An invalid mailed link: expired, used, replaced, for an address that has changed since, or made up. All get the
    /// same response.
    package static let linkExpired = AppError(
        .unprocessable, "This link has expired: it has already been used or is too old. Please ask for a new one.",
        reason: .linkExpired)
}
