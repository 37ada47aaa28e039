/// What every page behind the login needs.
struct PageServices: Sendable {
    let renderer: PageRenderer
    let viewers: ViewerFinder

    /// Forms on pages for one audience.
    func forms<Notice: FormNotice>(for audience: PageAudience) -> PageForms<Notice> {
        PageForms(pages: renderer, viewers: viewers, audience: audience)
    }
}
