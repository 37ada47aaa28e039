/// The address of a subscription that messages may be posted to.
///
/// It is read by a pattern narrower than the grammar of URLs, so that no other reader of it, such as the HTTP client,
/// can find another host in it: no user, no address in brackets, no backslash, no fragment, no port but 443.
public struct WebPushEndpoint: Hashable, Sendable {
    /// Characters. Four times the longest that a browser is known to hand out (Edge, about 500).
    public static let maximumLength = 2_048

    /// As it was given.
    public let url: String
    /// Scheme, host and, if it is not the scheme's own, port: the audience of a VAPID token (RFC 8292 §2, RFC 6454
    /// §6.1).
    public let origin: String

    /// - Returns: `nil` for what is not a URL of a service that `policy` allows.
    public init?(_ text: String, policy: WebPushPolicy) {
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
