import Shared

/// What the server reads from the files of its installation, once, at start.
///
/// Nothing of it needs a store, so that it can be read while one is being opened.
struct ServerFiles: Sendable {
    let resources: Resources
    let texts: TextCatalog
    let pages: PageRenderer
    let documents: DocumentController
    let webApp: WebAppController

    /// - Throws: an error of the file system, of JSON or of the template parser: then the installation is not whole.
    init(_ resources: Resources) throws {
        self.resources = resources
        texts = try TextCatalog(resources: resources)
        pages = try PageRenderer(resources: resources, texts: texts)
        documents = try DocumentController(resources: resources)
        webApp = try WebAppController(resources: resources, pages: pages)
    }
}
