/// Which push services messages are posted to: `WEBPUSH_ALLOWED_HOSTS`.
///
/// An endpoint is a URL that a client chose, and a server that posts to any URL can be sent into its own network
/// (server-side request forgery). Looking at the address alone does not hold: a name may lead to `127.0.0.1`, and to
/// another address when it is looked up again to connect; the HTTP client shows neither look-up. There are as many
/// push services as there are vendors of browsers, so they are listed.
public struct WebPushPolicy: Hashable, Sendable {
    /// The services of the browsers there are:
    /// - Chrome, Opera, Samsung Internet and others on Chromium: Firebase;
    /// - Firefox: https://mozilla-push-service.readthedocs.io;
    /// - Edge: a subdomain for each region
    ///   (https://learn.microsoft.com/windows/apps/windows-app-sdk/notifications/push-notifications);
    /// - Safari: "any subdomain of push.apple.com"
    ///   (https://developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers).
    public static let standardHosts = [
        "fcm.googleapis.com", "updates.push.services.mozilla.com", "*.notify.windows.com", "*.push.apple.com",
    ]

    /// The services of the browsers there are, over https.
    public static let standard = WebPushPolicy(hosts: standardHosts, allowsLoopback: false)

    /// In lower case; `*.` stands for one name or more.
    let hosts: [String]
    /// Whether `http://127.0.0.1:PORT` is taken as well: for tests, whose push service is on this machine.
    let allowsLoopback: Bool

    private init(hosts: [String], allowsLoopback: Bool) {
        self.hosts = hosts
        self.allowsLoopback = allowsLoopback
    }

    /// Reads host names with commas between them; `*.example.org` stands for every name below `example.org`.
    /// - Throws: `SettingsError` for what is not a name with a dot in it: a bare `*`, `localhost` and addresses in
    ///   digits lead into one's own network.
    public init(setting text: String) throws(SettingsError) {
        let names = text.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
        let pattern = /(\*\.)?([a-z0-9](-*[a-z0-9])*\.)+[a-z](-*[a-z0-9])*/
        guard !names.isEmpty, names.allSatisfy({ $0.wholeMatch(of: pattern) != nil }) else {
            throw SettingsError(
                key: "WEBPUSH_ALLOWED_HOSTS", expectation: "host names with commas between: a.example.org,*.example.com"
            )
        }
        self.init(hosts: names, allowsLoopback: false)
    }

    /// The same, with push services on this machine too. For tests.
    public var withLoopback: WebPushPolicy { WebPushPolicy(hosts: hosts, allowsLoopback: true) }

    /// Whether a service of this name, in lower case, is one.
    func allows(host: String) -> Bool {
        hosts.contains { pattern in
            pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
        }
    }
}
