import Services

/// The files of the installation, read once at start.
///
/// None of them depends on the store, so they can be read while it is being opened.
struct ServerFiles: Sendable {
    let resources: Resources
    let texts: TextCatalog
    let pages: PageRenderer
    let documents: DocumentController
    let webApp: WebAppController

    /// - Parameter keepsMails: `MailSettings.keepsMails`
    /// - Throws: a file system, JSON or template error if the installation is incomplete.
    init(_ resources: Resources, publicPath: PublicPath = .none, keepsMails: Bool = false) throws {
        self.resources = resources
        texts = try TextCatalog(resources: resources)
        pages = try PageRenderer(resources: resources, texts: texts, publicPath: publicPath, keepsMails: keepsMails)
        documents = try DocumentController(resources: resources, publicPath: publicPath)
        webApp = try WebAppController(resources: resources, pages: pages)
    }
}
