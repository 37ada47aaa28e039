import Domain
import Services

/// One text: the original, the custom one, and earlier versions.
struct AdminTextPage: Page {
    static let template = "admin-text"

    let navigation: AdministrationNavigation
    /// Path of the list in this text's language.
    let back: SitePath
    /// Path of this page, which receives its forms.
    let address: SitePath
    let name: String
    /// The language's code: `en`.
    let language: String
    let languageName: String
    let original: String
    /// `nil` while the original is in use.
    let own: String?
    /// The hidden field with the text that the page showed.
    let seen: String
    /// Initial value of the field.
    let typed: String
    /// The current text, if another administrator changed it while the form was open.
    let changed: String?
    let maximumLength: Int
    /// The placeholders the text must contain; `nil` if there are none.
    let placeholders: String?
    /// `nil` if the installation has only English.
    let other: Other?
    /// Earlier versions, latest first.
    let history: [Change]
    let hasHistory: Bool
    let done: String?
    let problem: FormProblem?

    /// The same text in another language.
    struct Other: Sendable {
        let address: SitePath
        let language: String
        let languageName: String
        let text: String
    }

    /// A change of the text on one day.
    struct Change: Sendable {
        let day: String
        /// `nil` for the original.
        let text: String?
    }

    init(
        _ entry: TextService.Entry, other: TextService.Entry?, history changes: [TextChange], seen: String,
        typed: String?, isChanged: Bool, visit: PageVisit
    ) {
        navigation = AdministrationNavigation(at: .texts, words: visit.words)
        back = SitePath.adminTexts.adding("in", entry.key.language.rawValue)
        address = .adminText(entry.key)
        name = entry.key.name
        language = entry.key.language.rawValue
        languageName = visit.words.name(of: entry.key.language)
        original = entry.original
        own = entry.own
        self.seen = seen
        self.typed = typed ?? entry.text
        changed = isChanged ? entry.text : nil
        maximumLength = TextRules.maximumLength
        let hasPlaceholders = !TextRules.placeholders(of: entry.original).isEmpty
        placeholders = hasPlaceholders ? Self.placeholderRule(of: entry.original, visit.words) : nil
        self.other = other.map { other in
            Other(
                address: .adminText(other.key), language: other.key.language.rawValue,
                languageName: visit.words.name(of: other.key.language), text: other.text)
        }
        history = changes.map { Change(day: $0.day.text(in: visit.frame.language), text: $0.text) }
        hasHistory = !history.isEmpty
        done = visit.done
        problem = visit.problem
    }

    /// Says which placeholders a text must contain.
    static func placeholderRule(of original: String, _ words: LocalizedTexts) -> String {
        let needed = TextRules.placeholders(of: original)
        return needed.isEmpty
            ? words.text("adminTexts.noPlaceholders")
            : words.text("adminTexts.placeholders", ["list": needed.joined(separator: " ")])
    }
}
