/// What the page of a text says after its form was carried out.
enum TextNotice: String, FormNotice {
    case changed
    case restored

    /// Each is said by the text's own page, see `AdminTextPages`.
    func page(for visit: PageVisit) -> String { AdministrationSection.texts.path }

    func text(_ words: PageWords) -> String {
        switch self {
        case .changed: words.text("adminTexts.changed")
        case .restored: words.text("adminTexts.restored")
        }
    }
}
