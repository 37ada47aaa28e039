import Domain
import Services

/// What Article 13 of the GDPR tells people about their personal data, to be printed.
///
/// What only the organisation knows is among the custom texts, in section `controller`. A missing one is called missing.
struct PrivacyNoticePage: Page {
    static let template = "trust-notice"

    let about = SitePath.trust
    let installation: String
    let blanks: [Filled]
    /// Names of what is missing; empty for a complete notice.
    let missing: [String]
    let isIncomplete: Bool
    /// Where an administrator fills it in; `nil` for others.
    let fillIn: SitePath?
    /// How long feedback is kept.
    let feedback: String
    let recipients: [String]
    let makesBackups: Bool

    /// A statement that only the organisation can make. The raw values are keys of texts.
    enum Blank: String, CaseIterable, Sendable {
        case name, contact, officer, legalBasis, thirdCountries, authority

        /// The name of the custom text.
        var textName: String { "controller.\(rawValue)" }
    }

    /// One of them as the page shows it.
    struct Filled: Sendable {
        let name: String
        /// `nil` while it is missing.
        let text: String?
        /// The language of the text, if it is not the page's.
        let code: String?
    }

    /// - Parameter isAdministrator: whether the reader can fill in what is missing.
    init(
        _ installation: TrustInstallation, texts: TextCatalog, language: MailLocale, isAdministrator: Bool,
        words: LocalizedTexts
    ) {
        self.installation = installation.address
        let blanks = Blank.allCases.map { blank in
            let found = Self.written(blank, in: language, texts)
            return Filled(
                name: words.text("notice.\(blank.rawValue)"), text: found?.text,
                code: found.flatMap { $0.key.language == language ? nil : $0.key.language.rawValue })
        }
        self.blanks = blanks
        missing = blanks.filter { $0.text == nil }.map(\.name)
        isIncomplete = !missing.isEmpty
        fillIn =
            isAdministrator
            ? SitePath.adminTexts.adding("in", language.rawValue).adding("search", "controller.") : nil
        feedback =
            installation.feedbackDays.map { words.text("notice.feedbackDays", count: $0, ["days": words.number($0)]) }
            ?? words.text("notice.feedbackForever")
        recipients =
            installation.recipients.map { words.text("notice.\($0.rawValue)") }
            + installation.loginProviders.map { words.text("notice.loginProvider", ["name": $0]) }
        makesBackups = installation.makesBackups
    }

    /// The custom text in the page's language, or in another: a name needs no translation.
    private static func written(_ blank: Blank, in language: MailLocale, _ texts: TextCatalog) -> OwnText? {
        for locale in [language] + MailLocale.allCases {
            let key = TextKey(blank.textName, in: locale)
            if let text = texts.own(key) { return OwnText(key: key, text: text) }
        }
        return nil
    }
}
