import Domain
import Foundation

/// The data a browser needs to install the web app (W3C Web Application Manifest).
struct WebAppManifest: Encodable {
    /// The same in all languages, so that switching the language does not create a second app.
    let id: String
    let name = "Happiness Metric"
    /// Shown below the icon, where about twelve letters fit.
    let shortName = "Happiness"
    let description: String
    let lang: String
    let startURL: String
    let scope: String
    let display = "standalone"
    /// Colour of the title bar and background in the light theme (`public/app.css`); a manifest has no dark one.
    let themeColor = "#faf8f5"
    let backgroundColor = "#faf8f5"
    let icons: [Icon]

    struct Icon: Encodable {
        let src: String
        let sizes: String
        let type: String
        /// `maskable` may be cropped to a circle or another shape; `any` is shown unchanged.
        let purpose: String
    }

    /// - Parameter assets: provides the version in the icons' addresses.
    init(_ language: PageLanguage, words: LocalizedTexts, assets: Assets) {
        id = SitePath.start.description
        startURL = id
        scope = id
        description = words.text("webApp.description")
        lang = language.rawValue
        func icon(_ name: String, _ sizes: String, _ type: String, _ purpose: String = "any") -> Icon {
            Icon(
                src: SitePath.asset(name, version: assets.version).description, sizes: sizes, type: type,
                purpose: purpose)
        }
        icons = [
            icon("icon.svg", "any", "image/svg+xml"), icon("icon-192.png", "192x192", "image/png"),
            icon("icon-512.png", "512x512", "image/png"),
            icon("icon-maskable-512.png", "512x512", "image/png", "maskable"),
        ]
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, description, lang, scope, display, icons
        case shortName = "short_name"
        case startURL = "start_url"
        case themeColor = "theme_color"
        case backgroundColor = "background_color"
    }
}
