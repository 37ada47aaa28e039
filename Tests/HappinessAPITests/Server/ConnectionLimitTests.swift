import HTTPTypes
import HummingbirdTesting
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestSupport
import Testing

@testable import HappinessAPI

/// Many clients, and clients that are slow on purpose.
@Suite struct ConnectionLimitTests {
    private static let request = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// Maximally slow: other clients are served between any two of their bytes.
    @Test(.thorough) func `Two hundred slow headers keep nobody waiting`() async throws {
        try await TestApp.with(over: .live) { app in
            let port = try #require(app.port)
            var slow: [RawConnection] = []
            for _ in 0..<200 { slow.append(try await .open(port: port)) }
            for character in Self.request.prefix(30) {
                for connection in slow { try await connection.send(String(character)) }
                #expect(try await app.get("/health/live").status == .ok)
            }
            #expect(slow.allSatisfy { $0.received.isEmpty })
            for connection in slow { try await connection.close() }
        }
    }

    @Test func `An open connection that never asks for anything is closed`() throws {
        let channel = try Self.channel()
        channel.embeddedEventLoop.advanceTime(by: .seconds(44))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `A slow body is closed even if something has just arrived`() throws {
        let channel = try Self.channel()
        channel.embeddedEventLoop.advanceTime(by: .seconds(40))
        try Self.read(.head(HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")), on: channel)
        for _ in 0..<44 {
            try Self.read(.body(ByteBuffer(string: "x")), on: channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    /// 25 MB at 512 kbit/s take longer than the limit but may be a real photograph; the maximum is five minutes.
    @Test func `A request that keeps arriving gets more time, but not for ever`() throws {
        let channel = try Self.channel()
        try Self.read(.head(HTTPRequest(method: .put, scheme: "http", authority: "localhost", path: "/")), on: channel)
        for _ in 0..<299 {
            try Self.read(.body(ByteBuffer(repeating: 0, count: 64 * 1024)), on: channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            #expect(channel.isActive)
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test func `A request that has arrived is left to its answer`() throws {
        let channel = try Self.channel()
        try Self.read(.head(HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")), on: channel)
        try Self.read(.end(nil), on: channel)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    /// The check of the request before is still to come, or has found nothing and ended.
    @Test(arguments: [TimeAmount.seconds(10), .hours(1)])
    func `The next request has a limit of its own`(pause: TimeAmount) throws {
        let channel = try Self.channel()
        let head = HTTPRequestPart.head(HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/"))
        try Self.read(head, on: channel)
        try Self.read(.end(nil), on: channel)
        channel.embeddedEventLoop.advanceTime(by: pause)
        try Self.read(head, on: channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(44))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    /// Its check may be that of the body, which is five minutes after the start of the body at most.
    @Test func `A slow request after a large body is closed`() throws {
        let channel = try Self.channel()
        let head = HTTPRequestPart.head(HTTPRequest(method: .put, scheme: "http", authority: "localhost", path: "/"))
        try Self.read(head, on: channel)
        for _ in 0..<60 {
            try Self.read(.body(ByteBuffer(repeating: 0, count: 64 * 1024)), on: channel)
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        }
        try Self.read(.end(nil), on: channel)
        try Self.read(head, on: channel)
        channel.embeddedEventLoop.advanceTime(by: .seconds(44))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(300 - 60 - 44))
        #expect(!channel.isActive)
    }

    /// An open connection with only this handler.
    private static func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: RequestTimeoutHandler(limit: .seconds(45)))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private static func read(_ part: HTTPRequestPart, on channel: EmbeddedChannel) throws {
        try channel.writeInbound(part)
        _ = try channel.readInbound(as: HTTPRequestPart.self)
    }
}
