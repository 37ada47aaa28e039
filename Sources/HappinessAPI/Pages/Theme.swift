import Foundation
import HTTPTypes
import Hummingbird

/// Light or dark pages. The choice is stored in a cookie of the browser, not on the server. The server reads it and
/// sets `<html data-theme>`, so that no page is drawn in the wrong theme first.
enum Theme: String, Sendable, CaseIterable {
    /// Dark text on a light background.
    case light
    /// Light text on a dark background.
    case dark

    /// Without `CookieScope.name`: installations on one host may share a browser's choice, and `offline.js` knows only
    /// this name.
    private static let cookieName = "theme"
    /// Seconds. One year: browsers hardly keep a cookie longer (RFC 6265bis §5.5).
    private static let lifetime = 365 * 86_400

    /// The browser's choice; `nil` follows the device.
    init?(_ request: Request) {
        guard let value = request.headers.cookies(named: Self.cookieName).first else { return nil }
        self.init(rawValue: value)
    }

    /// `--background` of `public/app.css`, for the title bar of the installed app.
    var ground: String {
        switch self {
        case .light: "#faf8f5"
        case .dark: "#0e1419"
        }
    }

    /// `Set-Cookie` that stores a choice; `nil` deletes it. Scripts may read it: the offline page was rendered before
    /// the choice.
    /// - Parameter scope: of all our cookies.
    static func cookie(_ theme: Theme?, scope: CookieScope) -> String {
        "\(cookieName)=\(theme?.rawValue ?? ""); Max-Age=\(theme == nil ? 0 : lifetime); \(scope.attributes(hiddenFromScripts: false))"
    }
}
