import AsyncHTTPClient
import Foundation
import Logging
import OpenIDConnect
import Shared

/// A provider people can log in through: its settings, and our client there.
struct SignOnProvider: Sendable {
    let settings: OpenIDProviderSettings
    let client: OpenIDClient
    /// Where logging in begins, with scheme and host.
    let startURL: String
    /// The same without.
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

    /// Where logging a browser in begins, which goes on to a page of ours.
    func browserPath(to destination: LocalPath, _ language: PageLanguage) -> String {
        var address = URLComponents()
        address.path = startPath
        address.queryItems = [
            URLQueryItem(name: "format", value: SignOnAttempt.Format.browser.rawValue),
            URLQueryItem(name: "next", value: destination.text),
            URLQueryItem(name: "language", value: language.rawValue),
        ]
        return address.string ?? startPath
    }

    /// One for the process, as AsyncHTTPClient's own shared one, which follows redirects. It ends with the process.
    private static let httpClient = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: OpenIDClient.httpConfiguration)

    /// Who the provider says has logged in.
    /// - Parameter language: of their browser.
    func identity(_ claims: IdentityClaims, language: PageLanguage) -> ProvidedIdentity {
        ProvidedIdentity(
            issuer: claims.issuer, subject: claims.subject, email: claims.email,
            isEmailVerified: claims.isEmailVerified, preferredUsername: claims.preferredUsername, name: claims.name,
            locale: claims.locale, browserLocale: language.mailLocale,
            groups: settings.roleClaim.map { claims.texts(of: $0) } ?? [])
    }
}
