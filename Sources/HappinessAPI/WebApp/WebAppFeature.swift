import Hummingbird
import Services

/// The files that pages, browsers and developers load: assets, manifest, service worker, and the API's description.
struct WebAppFeature: Feature {
    private let assets: Assets
    private let webApp: WebAppController
    private let documents: DocumentController
    private let reference: APIReferenceController

    init(
        pages: PageRenderer, webApp: WebAppController, documents: DocumentController, browsers: BrowserSessions,
        accounts: AccountService
    ) {
        assets = pages.assets
        self.webApp = webApp
        self.documents = documents
        reference = APIReferenceController(pages: pages, browsers: browsers, accounts: accounts)
    }

    func addRoutes(to routes: RouteGroups) {
        let open = routes.open
        open.get("/assets/{name}", use: assets.show)
        open.get("/assets/v/{version}/{file}", use: assets.showVersioned)
        open.get("/favicon.ico", use: assets.favicon)
        open.get("/manifest.webmanifest", use: webApp.manifest)
        open.get("/service-worker.js", use: webApp.serviceWorker)
        open.get("/offline", use: webApp.offline)
        open.get("/api", use: documents.apiPage)
        open.get("/api/reference", use: reference.index)
        open.get("/api/reference/{topic}", use: reference.topic)
        open.get("/openapi.yaml", use: documents.openAPI)
    }
}
