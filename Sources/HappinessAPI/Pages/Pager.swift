/// The data of `templates/partials/pager.mustache`: links to the other pages of a list. A page has it as `pager`.
struct Pager: Sendable {
    /// Link to the first page; `nil` on the first page.
    let first: SitePath?
    /// Link to the next page; `nil` on the last page.
    let next: SitePath?

    /// Whether there is a link to show.
    let isShown: Bool

    init(first: SitePath?, next: SitePath?) {
        self.first = first
        self.next = next
        isShown = first != nil || next != nil
    }
}
