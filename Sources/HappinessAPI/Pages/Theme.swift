import Foundation
import HTTPTypes
import Hummingbird

/// Whether pages are light or dark. Who has chosen keeps it in a cookie of that browser, and nothing of it here: the
/// server reads it and writes it into `<html data-theme>`, so that no page is drawn in the wrong one first.
enum Theme: String, Sendable, CaseIterable {
    /// Dark text on a light ground.
    case light
    /// Light text on a dark ground.
    case dark

    private static let cookieName = "theme"
    /// Seconds. A year: browsers keep no cookie much longer (RFC 6265bis §5.5).
    private static let lifetime = 365 * 86_400

    /// What the browser has chosen; `nil` follows its device.
    init?(_ request: Request) {
        guard let value = request.headers.cookies(named: Self.cookieName).first else { return nil }
        self.init(rawValue: value)
    }

    /// `--background` of `public/app.css`, for the bar around an app that is installed.
    var ground: String {
        switch self {
        case .light: "#faf8f5"
        case .dark: "#0e1419"
        }
    }

    /// `Set-Cookie` that keeps a choice; `nil` forgets it. Scripts may read it: the page that a browser shows without a
    /// connection was made before the choice.
    static func cookie(_ theme: Theme?) -> String {
        "\(cookieName)=\(theme?.rawValue ?? ""); Path=/; SameSite=Lax; Max-Age=\(theme == nil ? 0 : lifetime)"
    }
}
