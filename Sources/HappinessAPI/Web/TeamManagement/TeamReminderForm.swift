import Shared

/// The fields of a reminder's words: `title-first-en`, `body-first-en`, and so on, with a prefix where there are several
/// wordings.
struct ReminderTextFields: Sendable {
    /// As typed, by field name.
    private let values: [String: String]
    private let prefix: String

    init(_ values: [String: String], prefix: String = "") {
        self.values = values
        self.prefix = prefix
    }

    /// The words of one reminder in one language.
    func text(_ kind: ReminderOccasion.Kind, _ locale: MailLocale) -> ReminderText {
        ReminderText(
            title: values[Self.name("title", kind, locale, prefix)] ?? "",
            body: values[Self.name("body", kind, locale, prefix)] ?? "")
    }

    /// Of a field.
    static func name(
        _ part: String, _ kind: ReminderOccasion.Kind, _ locale: MailLocale, _ prefix: String = ""
    ) -> String {
        "\(prefix)\(part)-\(kind.rawValue)-\(locale.rawValue)"
    }
}

/// A reminder's words in one language, as fields.
struct ReminderTextField: Sendable {
    /// Of the language, in its own words.
    let language: String
    let code: String
    let titleName: String
    let bodyName: String
    let title: String
    let body: String
    /// What is said where a part is empty.
    let standardTitle: String
    let standardBody: String
    let maximumTitleLength: Int
    let maximumBodyLength: Int

    /// - Parameters:
    ///   - text: as typed.
    ///   - standard: shown while a part is empty.
    init(
        _ text: ReminderText, _ kind: ReminderOccasion.Kind, _ locale: MailLocale, standard: ReminderText,
        prefix: String = ""
    ) {
        language = locale.name
        code = locale.rawValue
        titleName = ReminderTextFields.name("title", kind, locale, prefix)
        bodyName = ReminderTextFields.name("body", kind, locale, prefix)
        title = text.title
        body = text.body
        standardTitle = standard.title
        standardBody = standard.body
        maximumTitleLength = PushMessage.maximumTitleLength
        maximumBodyLength = PushMessage.maximumBodyLength
    }
}

/// The fields of the form, as text.
struct TeamReminderForm: Decodable, Sendable {
    var isOn: Bool
    var hour: String
    var remindsAgain: Bool
    var texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]]

    /// Settings as they are.
    init(_ settings: ReminderSettings) {
        isOn = settings.isOn
        hour = String(settings.hour)
        remindsAgain = settings.remindsAgain
        texts = settings.texts
    }

    init(from decoder: any Decoder) throws {
        let values = try [String: String](from: decoder)
        // A box that is not ticked is not sent.
        isOn = values["isOn"] != nil
        hour = values["hour"] ?? ""
        remindsAgain = values["remindsAgain"] != nil
        let fields = ReminderTextFields(values)
        texts = [:]
        for kind in ReminderOccasion.Kind.allCases {
            for locale in MailLocale.allCases { texts[kind, default: [:]][locale] = fields.text(kind, locale) }
        }
    }

    /// The settings that the form asks for; ranges are the service's matter.
    /// - Parameter present: has the quiet days, which are on another form.
    func settings(keeping present: ReminderSettings) throws -> ReminderSettings {
        guard let hour = Int(hour) else { throw AppError(.malformed, "The hour is no number.") }
        return ReminderSettings(
            isOn: isOn, hour: hour, remindsAgain: remindsAgain, holidays: present.holidays, texts: texts)
    }
}
