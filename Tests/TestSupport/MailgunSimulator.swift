import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Simulates Mailgun's `POST /v3/{domain}/messages` on a local port, according to the public documentation
/// (https://documentation.mailgun.com/docs/mailgun/api-reference/openapi-final/tag/Messages/). It rejects what the real
/// service rejects, and fails on demand.
///
/// It reads form-urlencoded bodies only, not the multipart ones that attachments need.
package final class MailgunSimulator: Sendable {
    /// A queued mail.
    package struct Mail: Sendable, Equatable {
        /// All fields by name, in the order received.
        package let fields: [String: [String]]

        /// The first value of a field.
        package subscript(name: String) -> String? { fields[name]?.first }
    }

    /// How a request fails.
    package enum Fault: Sendable, Equatable {
        /// Responds with this status and, if given, `Retry-After`; queues nothing.
        case status(Int, retryAfter: String? = nil)
        /// Finds the recipient's address not valid; queues nothing.
        case refuseRecipient
        /// Queues the mail, as without a fault.
        case accept
        /// Queues the mail but never responds.
        case hang
        /// Queues the mail and sends only the response head.
        case hangAfterHead
        /// Queues the mail and closes the connection in the middle of the response.
        case closeMidResponse
        /// Closes the connection without a response and queues nothing.
        case close
    }

    fileprivate struct State {
        var faults: [Fault] = []
        /// By text in a request's body.
        var faultsByText: [String: [Fault]] = [:]
        var mails: [Mail] = []
        var requests = 0

        mutating func nextFault(for body: String) -> Fault? {
            for (text, faults) in faultsByText where !faults.isEmpty && body.contains(text) {
                faultsByText[text] = Array(faults.dropFirst())
                return faults.first
            }
            return faults.isEmpty ? nil : faults.removeFirst()
        }
    }

    /// The only sending domain.
    package let domain: String
    /// The only valid key.
    package let apiKey: String
    private let state = Mutex(State())
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    private init(domain: String, apiKey: String) {
        self.domain = domain
        self.apiKey = apiKey
    }

    /// Runs a simulator while the closure runs.
    package static func with<Value>(
        domain: String = "mg.example.org", apiKey: String = "key-for-tests",
        isolation: isolated (any Actor)? = #isolation, _ body: (MailgunSimulator) async throws -> Value
    ) async throws -> Value {
        let simulator = MailgunSimulator(domain: domain, apiKey: apiKey)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(MailgunConnection(simulator: simulator))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        simulator.channel.withLock { $0 = channel }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(simulator))
        } catch {
            result = .failure(error)
        }
        try await channel.close()
        return try result.get()
    }

    /// Value for `MAILGUN_BASE_URL`.
    package var baseURL: String {
        "http://127.0.0.1:\(channel.withLock { $0?.localAddress?.port } ?? 0)"
    }

    /// Queued mails, in order; includes those whose response was lost by a fault.
    package var mails: [Mail] { state.withLock { $0.mails } }

    /// Number of requests, including rejected ones.
    package var requests: Int { state.withLock { $0.requests } }

    /// Makes the next requests fail like this, one after the other; later ones succeed.
    package func fail(_ faults: Fault...) {
        state.withLock { $0.faults += faults }
    }

    /// Makes the next requests whose body contains a text fail like this, such as those to one recipient.
    package func fail(containing text: String, _ faults: Fault...) {
        state.withLock { $0.faultsByText[text, default: []] += faults }
    }

    fileprivate func response(_ request: MailgunRequest) -> (response: MailgunResponse, fault: Fault?) {
        state.withLock { state in
            state.requests += 1
            let fault = state.nextFault(for: String(decoding: request.body, as: UTF8.self))
            switch fault {
            case .status(let status, let retryAfter):
                // The real 401 response is not JSON.
                let text = status == 401 ? "Forbidden" : #"{"message":"\#(status)"}"#
                return (MailgunResponse(status: status, body: text, retryAfter: retryAfter), nil)
            case .refuseRecipient: return (.invalidRecipient, nil)
            case .close: return (MailgunResponse(status: 500, body: ""), fault)
            case nil, .accept, .hang, .hangAfterHead, .closeMidResponse: break
            }
            do throws(MailgunResponse) {
                let mail = try MailgunRules(domain: domain, apiKey: apiKey).accept(request)
                state.mails.append(mail)
                let id = "<\(UUID().uuidString.lowercased())@\(domain)>"
                return (MailgunResponse(status: 200, body: #"{"id":"\#(id)","message":"Queued. Thank you."}"#), fault)
            } catch {
                return (error, fault)
            }
        }
    }
}

/// An HTTP/1.1 connection; its handler collects a request and responds.
private final class MailgunConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let simulator: MailgunSimulator
    private var request: MailgunRequest?

    init(simulator: MailgunSimulator) {
        self.simulator = simulator
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = MailgunRequest(
                method: head.method.rawValue, path: head.uri, authorization: head.headers.first(name: "Authorization"),
                contentType: head.headers.first(name: "Content-Type") ?? "")
        case .body(let part):
            request?.body += Array(part.readableBytesView)
        case .end:
            guard let request else { return }
            let (response, fault) = simulator.response(request)
            self.request = nil
            write(response, fault: fault, context: context)
        }
    }

    private func write(_ response: MailgunResponse, fault: MailgunSimulator.Fault?, context: ChannelHandlerContext) {
        if fault == .hang { return }
        if fault == .close {
            context.close(promise: nil)
            return
        }
        var headers = HTTPHeaders()
        headers.add(name: "Content-Type", value: "application/json")
        headers.add(name: "Content-Length", value: "\(response.body.utf8.count)")
        if let retryAfter = response.retryAfter { headers.add(name: "Retry-After", value: retryAfter) }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: response.status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if fault == .hangAfterHead {
            context.flush()
            return
        }
        let isCut = fault == .closeMidResponse
        let text = isCut ? String(response.body.prefix(response.body.count / 2)) : response.body
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        if isCut {
            context.flush()
            context.close(promise: nil)
        } else {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
