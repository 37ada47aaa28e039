import Hummingbird
import Services

/// The search over everything that a person may see.
struct SearchFeature: Feature {
    private let pages: SearchPageController
    private let search: SearchController

    init(pages: PageServices, search: SearchService) {
        self.pages = SearchPageController(pages: pages.renderer, viewers: pages.viewers, search: search)
        self.search = SearchController(pages: pages.renderer, viewers: pages.viewers, search: search)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.resultPages.get("/search", use: pages.show)
        routes.untracedAPI.get("/search", use: search.find)
    }
}
