import AsyncHTTPClient
import Foundation
import Logging
import OpenIDConnect
import Ports
import Services

/// An identity provider that users can log in with: its settings and our client.
struct SingleSignOnProvider: Sendable {
    let settings: OpenIDProviderSettings
    let client: OpenIDClient
    /// The absolute URL where the login begins.
    let startURL: String
    /// The same on this site.
    let start: SitePath

    /// - Parameter publicURL: `ServerSettings.publicURL`.
    init(_ settings: OpenIDProviderSettings, publicURL: String, clock: WallClock, logger: Logger) {
        self.settings = settings
        start = .login(through: settings.id)
        startURL = "\(publicURL)\(start.path)"
        let configuration = OpenIDClient.Configuration(
            issuer: settings.issuer, clientID: settings.clientID, clientSecret: settings.clientSecret.value,
            scopes: settings.scopes, redirectURI: "\(publicURL)\(SitePath.loginCallback(of: settings.id).path)",
            emailClaims: settings.emailClaims)
        client = OpenIDClient(configuration, httpClient: Self.httpClient, now: { clock.now }, logger: logger)
    }

    /// Where a browser's login begins; it continues with one of our pages.
    func browserStart(to destination: SitePath, _ language: PageLanguage) -> SitePath {
        start.adding("format", SingleSignOnAttempt.Format.browser.rawValue).adding(next: destination)
            .adding("language", language.rawValue)
    }

    /// One per process. AsyncHTTPClient's shared client follows redirects, this one does not. It lives as long as the
    /// process.
    private static let httpClient = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: OpenIDClient.httpConfiguration)

    /// The user as identified by the provider.
    /// - Parameter language: their browser's language.
    func identity(_ claims: IdentityClaims, language: PageLanguage) -> ProvidedIdentity {
        let address = claims.address(in: settings.emailClaims)
        return ProvidedIdentity(
            issuer: claims.issuer, subject: claims.subject, email: address?.text,
            isEmailVerified: address?.isVerified ?? false, preferredUsername: claims.preferredUsername,
            name: claims.name,
            locale: claims.locale, browserLocale: language.mailLocale,
            groups: settings.roleClaim.map { claims.texts(of: $0) } ?? [])
    }
}
