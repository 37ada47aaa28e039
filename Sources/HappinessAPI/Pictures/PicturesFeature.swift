import Hummingbird
import Services

/// Members' pictures: uploading, removing and delivering them.
struct PicturesFeature: Feature {
    private let settingsPages: PictureSettingsPageController
    private let pictures: PictureController
    private let delivery: PictureDelivery

    /// - Throws: an error of the file system if the default pictures are missing.
    init(_ services: AppServices) throws {
        let environment = services.environment
        let objects = environment.pictures.objects
        let maker = environment.pictures.maker
        pictures = PictureController(
            pictures: PictureService(
                stores: services.stores, objects: objects, maker: maker, secrets: services.secrets,
                clock: services.clock, logger: environment.logger),
            removals: PictureRemovalService(
                stores: services.stores, secret: services.secrets.ballot, clock: services.clock),
            links: services.pictureLinks, uploads: environment.pictures.uploads)
        delivery = PictureDelivery(
            links: services.pictureLinks, objects: objects,
            defaults: try DefaultPictureCache(
                maker: maker, resources: environment.files.resources, clock: services.clock),
            clock: services.clock)
        settingsPages = PictureSettingsPageController(
            forms: services.settingsForms, accounts: services.accounts, pictures: pictures)
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
