import Foundation

/// What a browser needs to install the web app (W3C Web Application Manifest).
struct WebAppManifest: Encodable {
    /// The same in every language, so that a change of language is no second app.
    let id = "/"
    let name = "Happiness Metric"
    /// Below the icon, where there is room for about twelve letters.
    let shortName = "Happiness"
    let description: String
    let lang: String
    let startURL = "/"
    let scope = "/"
    let display = "standalone"
    /// Of the bar and the ground of our pages in the light theme (`public/app.css`); a manifest knows no dark one.
    let themeColor = "#faf8f5"
    let backgroundColor = "#faf8f5"
    let icons: [Icon]

    struct Icon: Encodable {
        let src: String
        let sizes: String
        let type: String
        /// `maskable` may be cut to a circle or another shape; `any` is shown as it is.
        let purpose: String
    }

    /// - Parameter assets: whose version the icons' addresses have.
    init(_ language: PageLanguage, words: PageWords, assets: Assets) {
        description = words.text("webApp.description")
        lang = language.rawValue
        func icon(_ name: String, _ sizes: String, _ type: String, _ purpose: String = "any") -> Icon {
            Icon(src: "/assets/v/\(assets.version)/\(name)", sizes: sizes, type: type, purpose: purpose)
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
