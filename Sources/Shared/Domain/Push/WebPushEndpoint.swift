/// The address of a subscription to which messages may be posted.
///
/// It is parsed by a pattern stricter than the grammar of URLs, so that no other parser, such as the HTTP client's, can
/// find another host in it: no user, no address in brackets, no backslash, no fragment, no port except 443.
package struct WebPushEndpoint: Hashable, Sendable {
    /// Characters. Four times the longest known one (Edge, about 500).
    package static let maximumLength = 2_048

    /// The original text.
    package let url: String
    /// Scheme, host and, unless it is the default, port: the audience of a VAPID token (RFC 8292 §2, RFC 6454 §6.1).
    package let origin: String

    /// - Returns: `nil` if it is not a URL of a service that `policy` allows.
    package init?(_ text: String, policy: WebPushPolicy) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        if let match = text.wholeMatch(of: /https:\/\/([A-Za-z0-9.\-]+)(:443)?\/[A-Za-z0-9\-._~!$&'()*+,;=:@%\/?]+/) {
            let host = match.output.1.lowercased()
            guard policy.allows(host: host) else { return nil }
            origin = "https://\(host)"
        } else if policy.allowsLoopback,
            let match = text.wholeMatch(of: /(http:\/\/127\.0\.0\.1:[0-9]+)\/[A-Za-z0-9\-._~\/]+/)
        {
            origin = String(match.output.1)
        } else {
            return nil
        }
        url = text
    }
}
