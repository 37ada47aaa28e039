import Services

/// A success message. The address contains it as `?done=`, since the page after a form is requested with a GET.
protocol FormNotice: RawRepresentable<String>, Sendable {
    /// The page that shows the message: a path on this server, without a query.
    func page(for visit: PageVisit) throws -> String

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
        FormProblem(text(for: error), at: Self.fields[error.reason])
    }

    /// Ids of the fields that can be corrected, by what is wrong with them.
    private static let fields: [AppError.Reason: String] = [
        .nameTaken: "username",
        .displayNameNotValid: "displayName",
        .emailTaken: "email",
        .emailUnchanged: "email",
        .emailDomainNotAllowed: "email",
        .domainNotOpen: "email",
        .wrongPassword: "current",
        .passwordTooShort: "password",
        .passwordTooLong: "password",
        .passwordTooCommon: "password",
        .passwordIsServiceName: "password",
        .passwordIsOwnName: "password",
        .passwordIsHandedOut: "password",
        .passwordNeedsOtherCharacters: "password",
        .passwordNotText: "password",
        .teamNameNotValid: "team",
        .noSuchTimeZone: "zone",
        .otherTeam: "name",
        .thresholdAboveMembers: "threshold",
        .actionTitleMissing: "title",
        .actionDue: "due",
        .assigneeNotInTeam: "assignee",
        .feedbackTooLong: "feedback",
        .feedbackNotText: "feedback",
        .textEmpty: "text",
        .textTooLong: "text",
        .textNotText: "text",
        .textPlaceholders: "text",
    ]
}
