import Shared

/// One text: the program's, the installation's, and what it was before.
struct AdminTextPage: Page {
    static let template = "admin-text"

    let navigation: AdministrationNavigation
    /// The list in this text's language.
    let back: String
    /// Where the forms go.
    let address: String
    let name: String
    /// `en` or `de`.
    let language: String
    let languageName: String
    let original: String
    /// `nil` while the original is shown.
    let own: String?
    /// The hidden field that says which text the page showed.
    let seen: String
    /// What the field begins with.
    let typed: String
    /// The text by now, if somebody else changed it while the form was open.
    let changed: String?
    let maximumLength: Int
    /// What has to stay in the text; `nil` for one without placeholders.
    let placeholders: String?
    let other: Other
    /// What it was before, the latest first.
    let history: [Change]
    let hasHistory: Bool
    let done: String?
    let problem: String?

    /// The same text in the other language.
    struct Other: Sendable {
        let address: String
        let language: String
        let languageName: String
        let text: String
    }

    /// What became of it on a day.
    struct Change: Sendable {
        let day: String
        /// `nil` for the original.
        let text: String?
    }

    init(
        _ entry: TextService.Entry, other: TextService.Entry, history changes: [TextChange], seen: String,
        typed: String?, isChanged: Bool, visit: PageVisit
    ) {
        navigation = AdministrationNavigation(at: .texts, words: visit.words)
        back = PageAddress.of(AdministrationSection.texts.path, ["in": entry.key.language.rawValue])
        address = AdminTextPages.path(of: entry.key)
        name = entry.key.name
        language = entry.key.language.rawValue
        languageName = entry.key.language.ownName
        original = entry.original
        own = entry.own
        self.seen = seen
        self.typed = typed ?? entry.text
        changed = isChanged ? entry.text : nil
        maximumLength = TextRules.maximumLength
        let hasPlaceholders = !TextRules.placeholders(of: entry.original).isEmpty
        placeholders = hasPlaceholders ? Self.placeholderRule(of: entry.original, visit.words) : nil
        self.other = Other(
            address: AdminTextPages.path(of: other.key), language: other.key.language.rawValue,
            languageName: other.key.language.ownName, text: other.text)
        history = changes.map { Change(day: $0.day.text(in: visit.frame.language), text: $0.text) }
        hasHistory = !history.isEmpty
        done = visit.done
        problem = visit.problem
    }

    /// What has to be in a text, in words.
    static func placeholderRule(of original: String, _ words: PageWords) -> String {
        let needed = TextRules.placeholders(of: original)
        return needed.isEmpty
            ? words.text("adminTexts.noPlaceholders")
            : words.text("adminTexts.placeholders", ["list": needed.joined(separator: " ")])
    }
}
