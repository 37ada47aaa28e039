/// Success messages of a text's page.
enum TextNotice: String, FormNotice {
    case changed = "adminTexts.changed"
    case restored = "adminTexts.restored"

    /// The messages appear on the page of the text itself, see `AdminTextPageController`.
    func page(for visit: PageVisit) -> SitePath { .adminTexts }
}
