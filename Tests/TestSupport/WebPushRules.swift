import Crypto
import Domain
import Foundation
import NIOHTTP1

/// The requests a push service accepts (RFC 8030, RFC 8291, RFC 8292), and the status with which it rejects everything
/// else.
struct WebPushRules {
    /// The service's origin.
    let origin: String
    let now: Date

    /// Bytes. Every service must accept this size (RFC 8030 §7.2); this one accepts no more.
    private static let bodyLimit = 4_096
    /// Seconds: the maximum of Chrome's service; others reduce it (RFC 8030 §5.2).
    private static let maximumTimeToLive = 2_419_200
    /// Seconds (RFC 8292 §2).
    private static let tokenLifetime = 24 * 3_600

    /// - Parameter browser: the browser in the path; `nil` if there is none.
    func accept(
        _ request: SimulatedRequest, for browser: WebPushSimulator.Browser?
    ) throws(SimulatedResponse) -> WebPushSimulator.Delivery {
        guard request.method == "POST" else { throw SimulatedResponse(status: 405) }
        guard let browser else { throw SimulatedResponse(status: 404) }
        guard browser.isSubscribed else { throw SimulatedResponse(status: 410) }
        let token = try checkSender(request, of: browser)
        guard let text = request.header("TTL"), text.wholeMatch(of: /[0-9]+/) != nil, let timeToLive = Int(text),
            timeToLive <= Self.maximumTimeToLive
        else {
            throw .rejection("TTL (RFC 8030 §5.2)")
        }
        let topic = request.header("Topic")
        guard request.headers["Topic"].isEmpty || topic?.wholeMatch(of: /[A-Za-z0-9\-_]{1,32}/) != nil else {
            throw .rejection("Topic (RFC 8030 §5.4)")
        }
        let urgency = request.header("Urgency") ?? "normal"
        guard ["very-low", "low", "normal", "high"].contains(urgency) else {
            throw .rejection("Urgency (RFC 8030 §5.3)")
        }
        guard request.body.count <= Self.bodyLimit else { throw SimulatedResponse(status: 413) }
        guard request.header("Content-Encoding") == "aes128gcm" else {
            throw .rejection("Content-Encoding (RFC 8291 §4)")
        }
        return WebPushSimulator.Delivery(
            text: Result { try browser.receiver.open(request.body) }, length: request.body.count,
            timeToLive: timeToLive, topic: topic, urgency: urgency, token: token)
    }

    /// RFC 8292 §2, §4.2.
    private func checkSender(
        _ request: SimulatedRequest, of browser: WebPushSimulator.Browser
    ) throws(SimulatedResponse) -> String {
        guard let authorization = request.header("Authorization"), authorization.hasPrefix("vapid ") else {
            throw SimulatedResponse(status: 401)
        }
        let forbidden = SimulatedResponse(status: 403)
        guard let match = authorization.wholeMatch(of: /vapid t=([^,\s]+), ?k=([A-Za-z0-9\-_]+)/),
            let token = SignedToken(String(match.output.1)), let point = [UInt8](base64URL: match.output.2),
            let key = try? P256.Signing.PublicKey(x963Representation: point), token.isSigned(by: key),
            match.output.2 == browser.applicationServerKey
        else { throw forbidden }
        guard token.claims["aud"] as? String == origin, let expires = token.integer("exp"),
            let subject = token.claims["sub"] as? String, subject.hasPrefix("mailto:") || subject.hasPrefix("https://")
        else { throw forbidden }
        let left = Double(expires) - now.timeIntervalSince1970
        guard left > 0, left <= Double(Self.tokenLifetime) else { throw forbidden }
        return String(match.output.1)
    }
}

extension SimulatedResponse {
    fileprivate static func rejection(_ what: String) -> SimulatedResponse {
        SimulatedResponse(status: 400, body: what)
    }
}
