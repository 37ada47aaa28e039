import Services

/// Success messages of a text's page.
enum TextNotice: String, FormNotice {
    case changed
    case restored

    /// The messages appear on the page of the text itself, see `AdminTextPageController`.
    func page(for visit: PageVisit) -> SitePath { .adminTexts }

    func text(_ words: LocalizedTexts) -> String {
        switch self {
        case .changed: words.text("adminTexts.changed")
        case .restored: words.text("adminTexts.restored")
        }
    }
}
