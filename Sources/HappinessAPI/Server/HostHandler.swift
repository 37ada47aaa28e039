import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Prepares the field `Host` for `HostMiddleware`, while version and address of a request are still as they were sent:
/// the server framework's own requests have no version, and no host of an absolute address.
///
/// A request of HTTP/1.0 needs no `Host` (RFC 9112 §3.2) and gets an empty one. The host of an absolute address replaces
/// the one in the field (§3.2.2).
final class HostHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private static let name = "Host"

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if head.version.isBefore1_1, !head.headers.contains(name: Self.name) {
            head.headers.add(name: Self.name, value: "")
        }
        if let authority = Self.authority(of: head.uri), head.headers[Self.name].count == 1 {
            head.headers.replaceOrAdd(name: Self.name, value: authority)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// What is between `//` and the path of an absolute address; `nil` for other addresses. An address of HTTP must have a
    /// host (RFC 9110 §4.2.1), so without one this returns a character that no host has.
    private static func authority(of address: String) -> String? {
        // A path may contain an address, too.
        guard let first = address.first, first.isLetter, let scheme = address.prefixMatch(of: /[A-Za-z0-9+.\-]+:\/\//)
        else { return nil }
        let authority = address[scheme.range.upperBound...].prefix { !"/?#".contains($0) }
        return authority.isEmpty ? "/" : String(authority)
    }
}

@available(*, unavailable)
extension HostHandler: Sendable {}

extension HTTPVersion {
    fileprivate var isBefore1_1: Bool { major < 1 || major == 1 && minor == 0 }
}

/// HTTP/1.1 of the server framework, with a `HostHandler` on each connection.
private struct HostCheckingChannel: ServerChildChannel {
    let http1: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http1.setup(channel: channel, logger: logger).flatMapThrowing { value in
            // Directly behind the parser, whose parts it reads.
            let pipeline = channel.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let place = ChannelPipeline.SynchronousOperations.Position.after(parser)
            try pipeline.addHandler(HostHandler(), position: place)
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await http1.handle(value: value, logger: logger)
    }
}

extension HTTPServerBuilder {
    /// `http1`, with a `HostHandler` on each connection.
    static func http1WithHost(configuration: HTTP1Channel.Configuration) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            HostCheckingChannel(http1: HTTP1Channel(responder: responder, configuration: configuration))
        }
    }
}
