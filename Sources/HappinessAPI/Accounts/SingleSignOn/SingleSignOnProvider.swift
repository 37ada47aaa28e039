import AsyncHTTPClient
import Foundation
import Logging
import OpenIDConnect
import Services

/// An identity provider that users can log in with: its settings and our client.
struct SingleSignOnProvider: Sendable {
    let settings: OpenIDProviderSettings
    let client: OpenIDClient
    /// The absolute URL where the login begins.
    let startURL: String
    /// The same as a path.
    let startPath: String

    /// - Parameter publicURL: `ServerSettings.publicURL`.
    init(_ settings: OpenIDProviderSettings, publicURL: String, clock: WallClock, logger: Logger) {
        self.settings = settings
        startPath = "/login/\(settings.id)"
        startURL = "\(publicURL)\(startPath)"
        let configuration = OpenIDClient.Configuration(
            issuer: settings.issuer, clientID: settings.clientID, clientSecret: settings.clientSecret.value,
            scopes: settings.scopes, redirectURI: "\(startURL)/callback")
        client = OpenIDClient(configuration, httpClient: Self.httpClient, now: { clock.now }, logger: logger)
    }

    /// The path where a browser's login begins; it continues with one of our pages.
    func browserPath(to destination: LocalPath, _ language: PageLanguage) -> String {
        var address = URLComponents()
        address.path = startPath
        address.queryItems = [
            URLQueryItem(name: "format", value: SingleSignOnAttempt.Format.browser.rawValue),
            URLQueryItem(name: "next", value: destination.text),
            URLQueryItem(name: "language", value: language.rawValue),
        ]
        return address.string ?? startPath
    }

    /// One per process. AsyncHTTPClient's shared client follows redirects, this one does not. It lives as long as the
    /// process.
    private static let httpClient = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: OpenIDClient.httpConfiguration)

    /// The user as identified by the provider.
    /// - Parameter language: their browser's language.
    func identity(_ claims: IdentityClaims, language: PageLanguage) -> ProvidedIdentity {
        ProvidedIdentity(
            issuer: claims.issuer, subject: claims.subject, email: claims.email,
            isEmailVerified: claims.isEmailVerified, preferredUsername: claims.preferredUsername, name: claims.name,
            locale: claims.locale, browserLocale: language.mailLocale,
            groups: settings.roleClaim.map { claims.texts(of: $0) } ?? [])
    }
}
