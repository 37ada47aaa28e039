import Domain
import Services

/// Lists texts of one language.
struct AdminTextListPage: Page {
    static let template = "admin-texts"

    /// Maximum number of rows; further texts can be found with the search.
    private static let maximumRows = 100

    let navigation: AdministrationNavigation
    let search: String
    /// The language's code: `en`.
    let language: String
    let languages: [Choice]
    let onlyOwn: Bool
    let rows: [Row]
    let isEmpty: Bool
    /// Says that not all texts are shown.
    let more: String?

    /// A link to all or only some of the texts.
    struct Filter: Sendable {
        let language: MailLocale
        let search: String
        let onlyOwn: Bool

        fileprivate func address(in language: MailLocale) -> SitePath {
            SitePath.adminTexts.adding("in", language.rawValue).adding("search", search)
                .adding("own", onlyOwn ? "on" : nil)
        }
    }

    /// A link to the same texts in another language.
    struct Choice: Sendable {
        let address: SitePath
        let label: String
        let code: String
        let isChosen: Bool
    }

    struct Row: Sendable {
        let address: SitePath
        let name: String
        /// The text in use.
        let text: String
        let isOwn: Bool
    }

    init(_ entries: [TextService.Entry], filter: Filter, visit: PageVisit) {
        navigation = AdministrationNavigation(at: .texts, words: visit.words)
        search = filter.search
        language = filter.language.rawValue
        languages = visit.words.languages.map { one in
            Choice(
                address: filter.address(in: one.locale), label: one.name, code: one.locale.rawValue,
                isChosen: one.locale == filter.language)
        }
        onlyOwn = filter.onlyOwn
        rows = entries.prefix(Self.maximumRows).map { entry in
            Row(
                address: .adminText(entry.key), name: entry.key.name,
                text: entry.own ?? entry.original,
                isOwn: entry.own != nil)
        }
        isEmpty = rows.isEmpty
        let rest = entries.count - rows.count
        more = rest > 0 ? visit.words.text("adminTexts.more", count: rest, ["count": visit.words.number(rest)]) : nil
    }
}
