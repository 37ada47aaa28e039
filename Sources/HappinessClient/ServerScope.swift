import Foundation

/// Which addresses belong to an installation: those of its host, at or below the path of its address. Other services
/// of the host may be beside that path.
struct ServerScope: Sendable {
    private let server: URL
    /// `/mood` of `https://intranet.example.org/mood`; empty if the installation has a host of its own.
    let path: String

    /// - Parameter server: ``HappinessServer/address``
    init(server: URL) {
        self.server = server
        var path = server.path()
        while path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    /// Whether an address is one of the installation.
    func contains(_ url: URL) -> Bool {
        (url.scheme, url.host(), url.port) == (server.scheme, server.host(), server.port)
            && removingPath(from: url.path()) != nil
    }

    /// What follows the path in an address without a host: `/login` of `/mood/login`.
    /// - Returns: `nil` if the address is not of the installation, or is spelled as the server spells none: browsers
    ///   and this program may differ in where `..`, `%2e%2e` or a backslash leads.
    func removingPath(from address: String) -> String? {
        guard address.hasPrefix(path) else { return nil }
        let rest = String(address.dropFirst(path.count))
        guard rest.wholeMatch(of: /(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?(?:\?.*)?/) != nil else { return nil }
        return rest.hasPrefix("/") ? rest : "/\(rest)"
    }
}
