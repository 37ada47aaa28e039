import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A host and port that should accept connections.
///
/// Checking opens a connection and closes it without sending anything, so it uses no quota and sends no mail. It
/// happens at most once a minute, however often the page is opened, since mail servers log such connections.
final class TCPProbe: Sendable {
    /// As in the setting.
    let host: String
    private let port: Int
    private let known = Mutex<(until: ContinuousClock.Instant, isOpen: Bool)?>(nil)

    /// How long a result is cached.
    private static let memory = Duration.seconds(60)

    /// - Parameter url: scheme and host, with a port unless it is the scheme's default.
    init?(url: String) {
        guard let parts = URLComponents(string: url), let host = parts.host,
            let port = parts.port ?? Self.ports[parts.scheme ?? ""]
        else { return nil }
        self.host = host
        self.port = port
    }

    private static let ports = ["http": 80, "https": 443, "smtp": 25, "smtps": 465]

    /// - Throws: a network error if the connection fails.
    func check() async throws {
        let now = ContinuousClock.now
        if let known = known.withLock({ $0 }), now < known.until {
            if known.isOpen { return }
            throw ChannelError.connectTimeout(.zero)
        }
        do {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(2))
                .connect(host: host, port: port).get()
            known.withLock { $0 = (now + Self.memory, true) }
            try await channel.close()
        } catch {
            known.withLock { $0 = (now + Self.memory, false) }
            throw error
        }
    }
}
