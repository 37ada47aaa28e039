import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ObliviousHTTP
import Services

/// The gateway for relays (RFC 9458): answers requests that a relay forwards without being able to read them.
///
/// A relay knows who sends a ballot and not what is in it; this server knows what is in it and not who sent it. Only the
/// routes of `SealedBallotController` that need no log-in can be reached this way.
struct ObliviousGatewayController: Sendable {
    private let gateway: ObliviousGateway<P256.KeyAgreement.PrivateKey>
    private let routes: RouterResponder<AppRequestContext>

    /// The route (RFC 9540 §4).
    static let path: RouterPath = "/.well-known/ohttp-gateway"
    /// Bytes. Answers are padded to a multiple of it, so that a relay does not learn from their lengths what they say.
    private static let answerSize = 2_048
    /// Seconds. Clients must soon see a new key after the secret has changed.
    private static let keyLifetime = 3_600

    init(secret: BallotSecret, sealedBallots: SealedBallotController, publicPath: PublicPath) {
        gateway = ObliviousGateway(privateKey: secret.gatewayKey)
        let router = Router(context: AppRequestContext.self)
        router.add(middleware: ErrorMiddleware(allowedMethods: { _ in [] }, publicPath: publicPath))
        router.add(middleware: ControlCharacterMiddleware())
        sealedBallots.addOpenRoutes(to: router.group("/api/v1"))
        routes = router.buildResponder()
    }

    /// `GET /.well-known/ohttp-gateway`
    func keys(_ request: Request, context: AppRequestContext) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: ObliviousRequest.keysMediaType,
                .cacheControl: "public, max-age=\(Self.keyLifetime)",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: gateway.configuration.encoded)))
    }

    /// `POST /.well-known/ohttp-gateway`
    func answer(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard request.headers[.contentType]?.isMediaType(ObliviousRequest.mediaType) == true else {
            throw AppError(.unsupportedMediaType, "Please send \(ObliviousRequest.mediaType).")
        }
        let message = try await request.collectedBody(limit: Request.ordinaryLimit)
        let inner: HTTPRequest
        let content: [UInt8]
        let answerKey: AnswerKey
        do {
            let opened = try gateway.open(message.readableBytesView)
            answerKey = opened.answerKey
            (inner, content) = try BinaryHTTP.decodeRequest(opened.plain)
        } catch .wrongKey {
            return try Self.wrongKey()
        } catch .malformed {
            throw AppError(
                .malformed, "This isn’t an encapsulated request (RFC 9458).", reason: "not-an-oblivious-request")
        }
        let response = try await routes.respond(
            to: Request(head: inner, body: RequestBody(buffer: ByteBuffer(bytes: content))),
            context: AppRequestContext(source: .init(channel: context.channel, logger: context.logger)))
        return Response(
            status: .ok,
            headers: [.contentType: ObliviousRequest.answerMediaType, .cacheControl: "no-store"],
            body: ResponseBody(
                byteBuffer: ByteBuffer(
                    bytes: try answerKey.seal(
                        BinaryHTTP.encode(
                            response.head, content: try await response.body.collected(), paddedTo: Self.answerSize)))))
    }

    /// Tells a client to fetch the key again (RFC 9458 §5.3).
    private static func wrongKey() throws -> Response {
        struct Document: Encodable {
            let type = "https://iana.org/assignments/http-problem-types#ohttp-key"
            let title = "Bad Request"
            let status = 400
            let detail = "The request is encrypted for another key. Please fetch the key again."
        }
        var response = try JSONBody.response(Document(), status: .badRequest)
        response.headers[.contentType] = "application/problem+json"
        return response
    }
}

extension ResponseBody {
    /// All its bytes.
    fileprivate func collected() async throws -> [UInt8] {
        let collector = Collector()
        try await write(collector)
        return collector.bytes
    }

    private final class Collector: ResponseBodyWriter {
        var bytes: [UInt8] = []

        func write(_ buffer: ByteBuffer) {
            bytes += buffer.readableBytesView
        }

        func finish(_ trailingHeaders: HTTPFields?) {}
    }
}
