public import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
public import Shared

/// Mailgun's HTTP API: `POST /v3/{domain}/messages`
/// (https://documentation.mailgun.com/docs/mailgun/api-reference/openapi-final/tag/Messages/).
public struct MailgunDriver: MailDriver {
    /// Twice what a slow answer of a mail API takes; a job's own deadline is longer.
    public static let standardDeadline = Duration.seconds(20)
    /// Bytes. Their answers have about a hundred; what is longer is not theirs.
    private static let answerLimit = 64 * 1024

    private let settings: MailgunSettings
    private let client: HTTPClient
    private let deadline: Duration
    private let clock: WallClock

    /// - Parameters:
    ///   - client: belongs to the caller, who shuts it down; build it with `clientConfiguration`.
    ///   - deadline: of one call, from connecting to the last byte of the answer.
    public init(
        settings: MailgunSettings, client: HTTPClient, deadline: Duration = standardDeadline, clock: WallClock = .system
    ) {
        self.settings = settings
        self.client = client
        self.deadline = deadline
        self.clock = clock
    }

    /// A redirect would carry key and mail to another place. HTTP/1.1, since AsyncHTTPClient's HTTP/2 hangs when a
    /// server answers before it has read the body.
    public static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(5)
        return configuration
    }

    /// Queues the mail at Mailgun.
    public func send(_ message: MailMessage) async throws {
        let request = request(message)
        let answer: Answer
        do {
            // AsyncHTTPClient's own time-out ends with the head of the answer, and the body can hang as well.
            answer = try await withDeadline(deadline, orThrow: MailError.unavailable("Mailgun does not answer")) {
                try await self.exchange(request)
            }
        } catch let error as MailError {
            throw error
        } catch {
            // The reason the caller gave up is not Mailgun's.
            try Task.checkCancellation()
            // Whatever went wrong on the way: nothing says that another attempt would fail as well.
            throw MailError.unavailable("Mailgun cannot be reached, or its answer broke off")
        }
        try answer.judge(now: clock.now)
    }

    private func request(_ message: MailMessage) -> HTTPClientRequest {
        var fields = [
            ("from", HeaderEncoding.address(message.from, separator: " ")),
            // Mailgun splits it at commas; encoded like this it has none.
            ("to", HeaderEncoding.address(message.to, separator: " ")),
            ("subject", message.subject.text),
            ("text", message.text),
            ("html", message.html),
            ("h:Message-Id", "<\(message.messageID)>"),
            ("h:Auto-Submitted", MIMEMessage.autoSubmitted),
            // Tracking rewrites links, and these are secrets.
            ("o:tracking", "no"),
            ("o:tracking-clicks", "no"),
            ("o:tracking-opens", "no"),
        ]
        if settings.isTestMode { fields.append(("o:testmode", "yes")) }
        var request = HTTPClientRequest(url: "\(settings.baseURL)/v3/\(settings.domain)/messages")
        request.method = .POST
        request.setBasicAuth(username: "api", password: settings.apiKey.value)
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: FormBody.encode(fields)))
        return request
    }

    private func exchange(_ request: HTTPClientRequest) async throws -> Answer {
        let response = try await client.execute(request, timeout: TimeAmount(deadline))
        let body = try await response.body.collect(upTo: Self.answerLimit)
        return Answer(
            status: response.status.code, retryAfter: response.headers.first(name: "Retry-After"),
            body: Array(body.readableBytesView))
    }
}

/// What Mailgun said.
private struct Answer: Sendable {
    let status: UInt
    let retryAfter: String?
    let body: [UInt8]

    /// The part of a success that is read.
    private struct Queued: Decodable {
        let id: String
    }

    /// - Throws: `MailError` unless the mail was queued.
    func judge(now: Date) throws(MailError) {
        switch status {
        case 200:
            // Without an id somebody else has answered: a proxy, a log-in page.
            guard (try? JSONDecoder().decode(Queued.self, from: Data(body))) != nil else {
                throw .unavailable("Mailgun's answer cannot be read (200)")
            }
        case 429:
            throw .unavailable("Mailgun asks for fewer mails (429)", retryAfter: wait(now: now))
        case 408, 500...599:
            throw .unavailable("Mailgun has a problem (\(status))", retryAfter: wait(now: now))
        case 401: throw .refused("Mailgun does not know the API key (401)")
        case 403: throw .refused("Mailgun forbids sending (403)\(hint)")
        case 404: throw .refused("Mailgun does not know the domain, or not in this region (404)")
        case 413: throw .refused("Mailgun finds the mail too large (413)")
        default: throw .refused("Mailgun refused the mail (\(status))\(hint)")
        }
    }

    private func wait(now: Date) -> Duration? {
        retryAfter.flatMap { RetryAfter.duration($0, now: now) }
    }

    /// In words of ours, for theirs may quote an address. There is no code for these cases, only a message.
    private var hint: String {
        let text = String(decoding: body, as: UTF8.self).lowercased()
        if text.contains("sandbox") { return ": a sandbox domain sends to authorised recipients only" }
        if text.contains("not a valid address") { return ": an address is not valid" }
        return ""
    }
}
