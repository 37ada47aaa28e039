import Foundation

/// The parts of a request that the rules check.
struct MailgunRequest: Sendable {
    let method: String
    let path: String
    let authorization: String?
    let contentType: String
    var body: [UInt8] = []
}

/// A response; thrown if it is an error.
struct MailgunResponse: Error {
    let status: Int
    let body: String
    var retryAfter: String?

    static let invalidRecipient = rejection(
        400, "'to' parameter is not a valid address. please check documentation")

    static func rejection(_ status: Int, _ message: String) -> MailgunResponse {
        MailgunResponse(status: status, body: #"{"message":"\#(message)"}"#)
    }
}

/// The requests Mailgun accepts, and the messages with which it rejects everything else.
struct MailgunRules {
    let domain: String
    let apiKey: String

    /// Bytes ("Maximum message size is 25MB").
    private static let messageLimit = 25 * 1024 * 1024
    /// Bytes of all `o:`, `h:` and `v:` fields together.
    private static let optionLimit = 16 * 1024
    /// Maximum recipients of one message.
    private static let recipientLimit = 1000
    private static let booleans: Set<String> = ["yes", "no", "true", "false"]
    private static let options: [String: Set<String>] = [
        "o:testmode": ["yes", "true"], "o:tracking": booleans.union(["htmlonly"]),
        "o:tracking-clicks": booleans.union(["htmlonly"]), "o:tracking-opens": booleans,
        "o:require-tls": booleans, "o:skip-verification": booleans,
    ]

    func accept(_ request: MailgunRequest) throws(MailgunResponse) -> MailgunSimulator.Mail {
        guard request.authorization == "Basic " + Data("api:\(apiKey)".utf8).base64EncodedString() else {
            throw MailgunResponse(status: 401, body: "Forbidden")
        }
        let path = request.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard request.method == "POST", path.count == 4, path[1] == "v3", path[3] == "messages" else {
            throw .rejection(404, "page not found")
        }
        guard path[2] == domain else { throw .rejection(404, "Domain not found: \(path[2])") }
        guard request.body.count <= Self.messageLimit else { throw .rejection(413, "Request Entity Too Large") }
        guard request.contentType == "application/x-www-form-urlencoded" else {
            throw .rejection(400, "Content-Type is not supported")
        }
        let fields = Self.fields(String(decoding: request.body, as: UTF8.self))
        for name in ["from", "to", "subject"] {
            guard fields[name]?.first?.isEmpty == false else { throw .rejection(400, "\(name) parameter is missing") }
        }
        guard ["text", "html", "amp-html", "template"].contains(where: { fields[$0] != nil }) else {
            throw .rejection(400, "Need at least one of 'text', 'html', 'amp-html' or 'template' parameters specified")
        }
        try checkAddresses(fields)
        try checkOptions(fields)
        return MailgunSimulator.Mail(fields: fields)
    }

    private func checkAddresses(_ fields: [String: [String]]) throws(MailgunResponse) {
        guard let from = fields["from"]?.first, Self.isAddress(from) else {
            throw .rejection(400, "'from' parameter is not a valid address. please check documentation")
        }
        let recipients = (fields["to"] ?? []).flatMap { $0.split(separator: ",").map(String.init) }
        guard recipients.count <= Self.recipientLimit, recipients.allSatisfy(Self.isAddress) else {
            throw .invalidRecipient
        }
    }

    private func checkOptions(_ fields: [String: [String]]) throws(MailgunResponse) {
        let options = fields.filter { $0.key.hasPrefix("o:") || $0.key.hasPrefix("h:") || $0.key.hasPrefix("v:") }
        let size = options.reduce(0) { $0 + $1.key.utf8.count + $1.value.reduce(0) { $0 + $1.utf8.count } }
        guard size <= Self.optionLimit else { throw .rejection(400, "options are too large") }
        for (name, values) in options {
            if let allowed = Self.options[name], !values.allSatisfy(allowed.contains) {
                throw .rejection(400, "invalid value for \(name)")
            }
        }
        let headers = (fields["subject"] ?? []) + options.filter { $0.key.hasPrefix("h:") }.flatMap(\.value)
        guard !headers.contains(where: { $0.utf8.contains(10) || $0.utf8.contains(13) }) else {
            throw .rejection(400, "a header contains a line break")
        }
    }

    /// `a@b.c` or `words <a@b.c>`, without brackets, quotation marks or control characters in the words.
    private static func isAddress(_ text: String) -> Bool {
        let address = /[A-Za-z0-9!#$%&'*+\/=?^_`{|}~.\-]+@[A-Za-z0-9\-]+(\.[A-Za-z0-9\-]+)+/
        let trimmed = text.trimmingCharacters(in: CharacterSet(charactersIn: " "))
        if trimmed.wholeMatch(of: address) != nil { return true }
        guard let match = trimmed.wholeMatch(of: /[^<>"\r\n]*<([^<>]*)>/) else { return false }
        return String(match.1).wholeMatch(of: address) != nil
    }

    private static func fields(_ body: String) -> [String: [String]] {
        var fields: [String: [String]] = [:]
        for pair in body.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            fields[parts[0], default: []].append(parts.count > 1 ? parts[1] : "")
        }
        return fields
    }
}
