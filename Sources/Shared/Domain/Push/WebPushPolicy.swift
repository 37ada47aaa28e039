/// The push services to which messages may be posted: `WEBPUSH_ALLOWED_HOSTS`.
///
/// An endpoint is a URL chosen by a client, and a server that posts to any URL can be made to attack its own network
/// (server-side request forgery). Checking the address alone does not help: a name may resolve to `127.0.0.1`, and to
/// another address when it is resolved again to connect; the HTTP client exposes neither lookup. There are only as many
/// push services as browser vendors, so they are listed.
package struct WebPushPolicy: Hashable, Sendable {
    /// The services of all known browsers:
    /// - Chrome, Opera, Samsung Internet and others on Chromium: Firebase;
    /// - Firefox: https://mozilla-push-service.readthedocs.io;
    /// - Edge: a subdomain for each region
    ///   (https://learn.microsoft.com/windows/apps/windows-app-sdk/notifications/push-notifications);
    /// - Safari: "any subdomain of push.apple.com"
    ///   (https://developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers).
    package static let standardHosts = [
        "fcm.googleapis.com", "updates.push.services.mozilla.com", "*.notify.windows.com", "*.push.apple.com",
    ]

    /// The services of all known browsers, over https.
    package static let standard = WebPushPolicy(hosts: standardHosts, allowsLoopback: false)

    /// In lower case; `*.` stands for one or more labels.
    let hosts: [String]
    /// Whether `http://127.0.0.1:PORT` is allowed as well: for tests with a local push service.
    let allowsLoopback: Bool

    private init(hosts: [String], allowsLoopback: Bool) {
        self.hosts = hosts
        self.allowsLoopback = allowsLoopback
    }

    /// Parses host names separated by commas; `*.example.org` stands for every name below `example.org`.
    /// - Throws: `SettingsError` for text that is not a name with a dot in it: a bare `*`, `localhost` and numeric
    ///   addresses lead into one's own network.
    package init(setting text: String) throws(SettingsError) {
        let names = text.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
        let pattern = /(\*\.)?([a-z0-9](-*[a-z0-9])*\.)+[a-z](-*[a-z0-9])*/
        guard !names.isEmpty, names.allSatisfy({ $0.wholeMatch(of: pattern) != nil }) else {
            throw SettingsError(
                key: "WEBPUSH_ALLOWED_HOSTS",
                expectation: "host names without https:// and path, with commas between: a.example.org,*.example.com")
        }
        self.init(hosts: names, allowsLoopback: false)
    }

    /// A copy that also allows push services on this machine. For tests.
    package var withLoopback: WebPushPolicy { WebPushPolicy(hosts: hosts, allowsLoopback: true) }

    /// Whether a host, in lower case, is one of the services.
    package func allows(host: String) -> Bool {
        hosts.contains { pattern in
            pattern.hasPrefix("*.") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
        }
    }
}
