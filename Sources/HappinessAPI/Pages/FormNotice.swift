import Domain

/// A success message of a group of pages; its raw value is the key of its text. The address contains it as `?done=`,
/// since the page after a form is requested with a GET.
protocol FormNotice: RawRepresentable<String>, CaseIterable, Sendable {
    /// The page that shows the message, without a query.
    func page(for visit: PageVisit) throws -> SitePath
}

extension FormNotice {
    /// The notice named in an address; `nil` if the group has none of this name.
    init?(addressName: String) {
        guard let notice = Self.allCases.first(where: { $0.addressName == addressName }) else { return nil }
        self = notice
    }

    /// Its name in the address, which is the case's name with hyphens: `quiet-days` for `quietDays`.
    var addressName: String {
        "\(self)".map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
    }
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

    /// An error in the form for a new account. Two errors have no reason of their own; each belongs to one field.
    func problem(inForm error: AppError) -> FormProblem {
        switch error.reason {
        case .refused: FormProblem(text("register.nameNotValid"), at: "username")
        case .malformed: FormProblem(text("register.emailNotValid"), at: "email")
        default: problem(error)
        }
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
