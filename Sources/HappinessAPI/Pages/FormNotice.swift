import Services

/// A success message. The address contains it as `?done=`, since the page after a form is requested with a GET.
protocol FormNotice: RawRepresentable<String>, Sendable {
    /// The page that shows the message, without a query.
    func page(for visit: PageVisit) throws -> SitePath

    /// In the page's language.
    func text(_ words: LocalizedTexts) -> String
}

/// A form error that the user can correct. Pages show it above the form, and at its field.
struct FormProblem: Error {
    /// In the page's language.
    let text: String
    /// Id of the element to be corrected; `nil` if it is none in particular.
    let field: String?
    /// The text under the id, so that a template finds what belongs to a field: `{{page.problem.at.email}}`.
    let at: [String: String]

    init(_ text: String, at field: String? = nil) {
        self.text = text
        self.field = field
        at = field.map { [$0: text] } ?? [:]
    }
}

extension LocalizedTexts {
    /// The problem behind an error. Fields with the same meaning have the same id on every page.
    func problem(_ error: AppError) -> FormProblem {
        FormProblem(text(for: error), at: Self.field(of: error.reason))
    }

    private static func field(of reason: String) -> String? {
        switch reason {
        case "name-taken": "username"
        case "display-name-not-valid": "displayName"
        case "email-taken", "email-unchanged", "email-domain-not-allowed", "domain-not-open": "email"
        case "wrong-password": "current"
        case _ where reason.hasPrefix("password-"): "password"
        case "team-name-not-valid": "team"
        case "no-such-time-zone": "zone"
        case "other-team": "name"
        case "threshold-above-members": "threshold"
        case "action-title-missing": "title"
        case "action-due": "due"
        case "assignee-not-in-team": "assignee"
        case _ where reason.hasPrefix("feedback-"): "feedback"
        case _ where reason.hasPrefix("text-"): "text"
        default: nil
        }
    }
}
