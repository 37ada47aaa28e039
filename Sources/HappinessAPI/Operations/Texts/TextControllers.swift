import Hummingbird
import Shared

/// The installation's own texts, as pages and for programs.
struct TextControllers: Sendable {
    let pages: AdminTextPages
    let texts: TextController

    init(pages: PageRenderer, viewers: Viewers, texts: TextService) {
        let forms = PageForms<TextNotice>(pages: pages, viewers: viewers, audience: .admin)
        self.pages = AdminTextPages(forms: forms, texts: texts)
        self.texts = TextController(texts: texts)
    }

    /// - Parameter member: lets pass a browser that is logged in.
    func addRoutes(to member: RouterGroup<AppRequestContext>) {
        member.get("/admin/texts", use: pages.list)
        member.get("/admin/texts/{language}/{text}", use: pages.show)
        member.post("/admin/texts/{language}/{text}", use: pages.change)
        member.post("/admin/texts/{language}/{text}/original", use: pages.restore)
    }

    /// - Parameter v1: the API's routes for who is logged in.
    func addAPIRoutes(to v1: RouterGroup<AppRequestContext>) {
        v1.get("/admin/texts", use: texts.list)
        v1.get("/admin/texts/{language}/{text}", use: texts.show)
        v1.put("/admin/texts/{language}/{text}", use: texts.change)
        v1.delete("/admin/texts/{language}/{text}", use: texts.restore)
    }
}

extension AppRequestContext {
    /// A text in the path, `…/{language}/{text}`. In a language that there is none of, one that is not there.
    var textKey: TextKey {
        guard let language = parameters.get("language").flatMap(MailLocale.init(rawValue:)) else {
            return TextKey("", in: .english)
        }
        return TextKey(parameters.get("text") ?? "", in: language)
    }
}
