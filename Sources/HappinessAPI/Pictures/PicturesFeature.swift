import Hummingbird
import Ports
import Services

/// Members' pictures: uploading, removing and delivering them.
struct PicturesFeature: Feature {
    private let settingsPages: PictureSettingsPageController
    private let pictures: PictureController
    private let delivery: PictureDelivery

    init(
        pages: PageServices, accounts: AccountService, pictures: PictureService, removals: PictureRemovalService,
        links: PictureLinks, uploads: UploadFolder, objects: any ObjectStore, defaults: DefaultPictureCache,
        clock: WallClock
    ) {
        self.pictures = PictureController(pictures: pictures, removals: removals, links: links, uploads: uploads)
        delivery = PictureDelivery(links: links, objects: objects, defaults: defaults, clock: clock)
        settingsPages = PictureSettingsPageController(
            forms: pages.forms(for: .member), accounts: accounts, pictures: self.pictures)
    }

    func addRoutes(to routes: RouteGroups) {
        routes.pages.get("/settings/picture", use: settingsPages.show)
        routes.pages.post("/settings/picture", use: settingsPages.upload)
        routes.pages.post("/settings/picture/remove", use: settingsPages.remove)
        routes.open.get("/pictures/initials/{name}", use: delivery.showInitials)
        routes.open.get("/pictures/{id}/{name}", use: delivery.show)
        routes.api.put("/me/picture", use: pictures.upload)
        routes.api.delete("/me/picture", use: pictures.remove)
        routes.classic.post("/user/uploadProfilePicture", use: pictures.uploadClassic)
    }
}
