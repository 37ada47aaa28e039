import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The routes of the relay. Nothing about a request is logged or passed on.
struct RelayController: Sendable {
    let mix: Mix
    let gateway: any Gateway
    /// The key configurations, the same for everyone who asks within a few minutes: a gateway that gave each sender a
    /// key of their own could recognise them.
    private let keys = KeyCache()

    /// Bytes; a message of the web app and of the command has 37 KiB.
    private static let longestMessage = 40 * 1024
    /// Seconds after which a client may try again.
    private static let pause = 60

    init(mix: Mix, gateway: any Gateway) {
        self.mix = mix
        self.gateway = gateway
    }

    /// - Parameter origin: of the pages whose scripts may use the relay.
    func router(origin: String) -> Router<BasicRequestContext> {
        let router = Router(context: BasicRequestContext.self)
        router.add(
            middleware: CORSMiddleware(
                allowOrigin: .custom(origin), allowHeaders: [.contentType], allowMethods: [.get, .post, .put],
                maxAge: .seconds(86_400)))
        router.get("/keys", use: gatewayKeys)
        router.post("/now", use: forward)
        router.put("/mixed/{ticket}", use: add)
        router.get("/mixed/{ticket}", use: state)
        router.get("/health", use: health)
        return router
    }

    /// `GET /keys`
    private func gatewayKeys(_ request: Request, context: BasicRequestContext) async throws -> Response {
        try await answering { Self.response(try await keys.value { try await gateway.keys() }) }
    }

    /// `POST /now`: forwards a message at once, for what needs no mixing.
    private func forward(_ request: Request, context: BasicRequestContext) async throws -> Response {
        let message = try await message(in: request)
        return try await answering { Self.response(try await gateway.forward(message)) }
    }

    /// `PUT /mixed/{ticket}?before=SECONDS`: takes a ballot that is to arrive before an instant (in seconds since 1970),
    /// which may be missing. 202 says that it is in memory, not that it is counted.
    private func add(_ request: Request, context: BasicRequestContext) async throws -> Response {
        let ticket = try Self.ticket(in: context)
        var end: Date?
        if let text = request.uri.queryParameters["before"] {
            guard let seconds = UInt32(text) else {
                throw HTTPError(.badRequest, message: "“before” must be a time in seconds since 1970.")
            }
            end = Date(timeIntervalSince1970: TimeInterval(seconds))
        }
        let message = try await message(in: request)
        do {
            try await mix.add(message, ticket: ticket, before: end)
        } catch {
            return Self.away("Too many ballots are waiting here. Please try again later.")
        }
        return Response(status: .accepted, headers: [.cacheControl: "no-store"])
    }

    /// `GET /mixed/{ticket}`: the gateway's answer; 202 while the ballot waits; 404 if it must be sent again.
    private func state(_ request: Request, context: BasicRequestContext) async throws -> Response {
        switch await mix.state(of: try Self.ticket(in: context)) {
        case .answered(let answer): Self.response(answer)
        case .waiting: Response(status: .accepted, headers: [.cacheControl: "no-store"])
        case nil: throw HTTPError(.notFound, message: "No ballot with this ticket is here. Please send it again.")
        }
    }

    /// `GET /health`: 200 if the gateway answered the last time.
    private func health(_ request: Request, context: BasicRequestContext) async throws -> Response {
        guard await mix.reachesGateway else { return Self.away("The gateway doesn’t answer.") }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "The relay works.\n")))
    }

    private func message(in request: Request) async throws -> [UInt8] {
        guard request.headers[.contentType] == "message/ohttp-req" else {
            throw HTTPError(.unsupportedMediaType, message: "Please send message/ohttp-req.")
        }
        return Array(try await request.body.collect(upTo: Self.longestMessage).readableBytesView)
    }

    private static func ticket(in context: BasicRequestContext) throws -> Ticket {
        guard let ticket = context.parameters.get("ticket").flatMap({ Ticket($0) }) else {
            throw HTTPError(.badRequest, message: "A ticket has 32 hexadecimal digits.")
        }
        return ticket
    }

    private func answering(_ body: () async throws -> Response) async throws -> Response {
        do { return try await body() } catch { return Self.away("The gateway doesn’t answer.") }
    }

    private static func response(_ answer: GatewayAnswer) -> Response {
        Response(
            status: .init(code: answer.status),
            headers: [.contentType: answer.mediaType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    private static func away(_ sentence: String) -> Response {
        Response(
            status: .serviceUnavailable,
            headers: [
                .contentType: "text/plain; charset=utf-8", .retryAfter: "\(pause)", .cacheControl: "no-store",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: sentence + "\n")))
    }
}

/// The gateway's keys, for a while.
private final class KeyCache: Sendable {
    private let cached = Mutex<(answer: GatewayAnswer, end: ContinuousClock.Instant)?>(nil)
    /// A client asks again if its key is too old.
    private static let lifetime = Duration.seconds(300)

    func value(_ fetch: () async throws -> GatewayAnswer) async throws -> GatewayAnswer {
        if let (answer, end) = cached.withLock({ $0 }), ContinuousClock.now < end { return answer }
        let answer = try await fetch()
        if answer.status == 200 {
            cached.withLock { $0 = (answer, ContinuousClock.now.advanced(by: Self.lifetime)) }
        }
        return answer
    }
}
