import Domain
import Product

/// A report as an app sends it.
struct ClientErrorRequest: Decodable {
    let level: ClientErrorReport.Level?
    let app: ClientErrorReport.App
    let message: String
    let stack: String?
    let version: String?
    let platform: String?
    let tags: [String: String]?

    /// The part of the report that is stored.
    /// - Parameters:
    ///   - userAgent: what a page runs on; only browser and system are stored. The version of a page is this server's.
    ///   - isAnonymous: as in the report.
    /// - Throws: `AppError.unprocessable`.
    func report(userAgent: String?, isAnonymous: Bool) throws -> ClientErrorReport {
        let isPage = app == .web
        let browser = isPage && userAgent?.hasPrefix("Mozilla/") == true ? userAgent : nil
        return try ClientErrorReport(
            level: level ?? .error, app: app, message: message, stack: stack ?? "",
            version: version ?? (isPage ? ProductVersion.current : ""),
            platform: platform ?? browser.map { DeviceName(userAgent: $0).text } ?? "", tags: tags ?? [:],
            isAnonymous: isAnonymous)
    }
}
