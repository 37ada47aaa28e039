import Foundation
import NIOHTTP1

/// The requests Apple accepts, and the reason with which it rejects everything else
/// (https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
struct APNsRules {
    let account: APNsSimulator.Account
    let now: Date

    /// Bytes.
    private static let payloadLimit = 4_096
    /// Bytes.
    private static let collapseIDLimit = 64
    /// Seconds for which a provider token is valid.
    private static let tokenLifetime: TimeInterval = 60 * 60
    /// Minimum seconds between two new provider tokens.
    private static let tokenPace: TimeInterval = 20 * 60
    private static let pushTypes: Set<String> = [
        "alert", "background", "location", "voip", "complication", "fileprovider", "mdm", "liveactivity", "pushtotalk",
    ]

    /// Adds the message to the device's, or rejects it.
    func accept(_ request: SimulatedRequest, memory: inout APNsSimulator.Memory) throws(SimulatedResponse) {
        guard request.method == "POST" else { throw .apns(405, "MethodNotAllowed") }
        let path = request.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard path.count == 4, path[1] == "3", path[2] == "device" else { throw .apns(404, "BadPath") }
        guard !path[3].isEmpty else { throw .apns(400, "MissingDeviceToken") }
        let token = try checkProvider(request, memory: &memory)
        try checkHeaders(request)
        try checkPayload(request.body)
        guard path[3].wholeMatch(of: /[0-9a-fA-F]+/) != nil, let device = memory.devices[path[3]] else {
            throw .apns(400, "BadDeviceToken")
        }
        if let gone = device.gone { throw .apns(410, "Unregistered", since: gone) }
        let headers = request.headers.filter { $0.name.lowercased().hasPrefix("apns-") }
        let delivery = APNsSimulator.Delivery(
            payload: Data(request.body), headers: Dictionary(headers.map { ($0.name.lowercased(), $0.value) }) { $1 },
            token: token)
        memory.devices[path[3]]?.deliveries.append(delivery)
    }

    private func checkProvider(
        _ request: SimulatedRequest, memory: inout APNsSimulator.Memory
    ) throws(SimulatedResponse) -> String {
        guard let authorization = request.header("authorization"), authorization.hasPrefix("bearer ") else {
            throw .apns(403, "MissingProviderToken")
        }
        let text = String(authorization.dropFirst(7))
        guard let token = SignedToken(text), token.header["kid"] as? String == account.keyID,
            token.claims["iss"] as? String == account.teamID, token.isSigned(by: account.key),
            let issued = token.integer("iat"), Double(issued) <= now.timeIntervalSince1970
        else { throw .apns(403, "InvalidProviderToken") }
        guard now.timeIntervalSince1970 - Double(issued) <= Self.tokenLifetime else {
            throw .apns(403, "ExpiredProviderToken")
        }
        if memory.tokens[issued] == nil {
            if let last = memory.tokens.values.max(), now.timeIntervalSince(last) < Self.tokenPace {
                throw .apns(429, "TooManyProviderTokenUpdates")
            }
            memory.tokens[issued] = now
        }
        return text
    }

    private func checkHeaders(_ request: SimulatedRequest) throws(SimulatedResponse) {
        for name in Set(request.headers.map { $0.name.lowercased() }) where name.hasPrefix("apns-") {
            guard request.headers[name].count == 1 else { throw .apns(400, "DuplicateHeaders") }
        }
        guard let topic = request.header("apns-topic") else { throw .apns(400, "MissingTopic") }
        guard topic.wholeMatch(of: /[A-Za-z0-9.\-]+/) != nil else { throw .apns(400, "BadTopic") }
        guard topic == account.topic else { throw .apns(400, "DeviceTokenNotForTopic") }
        guard let type = request.header("apns-push-type"), Self.pushTypes.contains(type) else {
            throw .apns(400, "InvalidPushType")
        }
        let priorities = type == "background" ? ["5", "1"] : ["10", "5", "1"]
        guard priorities.contains(request.header("apns-priority") ?? "10") else { throw .apns(400, "BadPriority") }
        if let expiration = request.header("apns-expiration") {
            guard let seconds = Int(expiration), seconds >= 0 else { throw .apns(400, "BadExpirationDate") }
        }
        guard (request.header("apns-collapse-id") ?? "").utf8.count <= Self.collapseIDLimit else {
            throw .apns(400, "BadCollapseId")
        }
    }

    private func checkPayload(_ body: [UInt8]) throws(SimulatedResponse) {
        guard body.count <= Self.payloadLimit else { throw .apns(413, "PayloadTooLarge") }
        let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
        guard object?["aps"] is [String: Any] else { throw .apns(400, "PayloadEmpty") }
    }
}

extension SimulatedResponse {
    fileprivate static func apns(_ status: Int, _ reason: String, since: Date? = nil) -> SimulatedResponse {
        let timestamp = since.map { #","timestamp":\#(Int64($0.timeIntervalSince1970 * 1_000))"# } ?? ""
        return SimulatedResponse(
            status: status, headers: ["Content-Type": "application/json"],
            body: #"{"reason":"\#(reason)"\#(timestamp)}"#)
    }
}
