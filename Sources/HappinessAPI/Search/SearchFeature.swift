import Hummingbird
import Services

/// The search over everything that a person may see.
struct SearchFeature: Feature {
    private let pages: SearchPageController
    private let search: SearchController

    init(_ services: AppServices) {
        let search = SearchService(
            stores: services.stores, teams: services.teams, actions: services.actions,
            publications: services.publications)
        pages = SearchPageController(pages: services.pages, viewers: services.viewers, search: search)
        self.search = SearchController(pages: services.pages, viewers: services.viewers, search: search)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.resultPages.get("/search", use: pages.show)
        routes.untracedAPI.get("/search", use: search.find)
    }
}
