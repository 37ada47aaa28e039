import Foundation

/// Decides which addresses of a provider may be used.
package enum ProviderAddress {
    /// `https`, or `http` on this machine, where no attacker is in between; without user, password and fragment.
    package static func isAllowed(_ text: String) -> Bool {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.fragment == nil
        else { return false }
        switch parts.scheme {
        case "https": return true
        case "http": return loopbackHosts.contains(host.lowercased())
        default: return false
        }
    }

    private static let loopbackHosts: Set<String> = ["localhost", "127.0.0.1", "::1", "[::1]"]
}
