package import AsyncHTTPClient
package import Domain
import Foundation
import NIOCore
import NIOHTTP1
import Outbound
package import Ports

/// Mailgun's HTTP API: `POST /v3/{domain}/messages`
/// (https://documentation.mailgun.com/docs/mailgun/api-reference/openapi-final/tag/Messages/).
package struct MailgunDriver: MailDriver {
    /// Twice as long as a slow response of a mail API; a job's own deadline is longer.
    package static let standardDeadline = Duration.seconds(20)
    /// Bytes. Mailgun's responses have about a hundred; anything longer is not from Mailgun.
    private static let responseLimit = 64 * 1024

    private let settings: MailgunSettings
    private let exchange: BoundedExchange
    private let clock: WallClock

    /// - Parameters:
    ///   - client: shut down by the caller; create it with `clientConfiguration`.
    ///   - deadline: for one call, from connecting to the last byte of the response.
    package init(
        settings: MailgunSettings, client: HTTPClient, deadline: Duration = standardDeadline, clock: WallClock = .system
    ) {
        self.settings = settings
        exchange = BoundedExchange(client: client, deadline: deadline, responseLimit: Self.responseLimit)
        self.clock = clock
    }

    /// No redirects: they would send the key and the mail to another server. HTTP/1.1, since AsyncHTTPClient's HTTP/2
    /// hangs if a server responds before it has read the body.
    package static var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = .seconds(5)
        return configuration
    }

    /// Queues the mail at Mailgun.
    package func send(_ message: MailMessage) async throws {
        let response: BoundedExchange.Response
        do {
            response = try await exchange.send(request(message))
        } catch BoundedExchange.Failure.late {
            throw MailError.unavailable("Mailgun does not answer")
        } catch is BoundedExchange.Failure {
            // A retry may succeed, whatever it was.
            throw MailError.unavailable("Mailgun is unreachable, or the connection was lost")
        }
        try response.judgeMailgun(at: clock.now)
    }

    private func request(_ message: MailMessage) -> HTTPClientRequest {
        var fields = [
            ("from", HeaderEncoding.address(message.from, separator: " ")),
            // Mailgun splits this field at commas; the encoded address contains none.
            ("to", HeaderEncoding.address(message.to, separator: " ")),
            ("subject", message.subject.text),
            ("text", message.text),
            ("html", message.html),
            ("h:Message-Id", "<\(message.messageID)>"),
            // Tracking rewrites links, but these links are secrets.
            ("o:tracking", "no"),
            ("o:tracking-clicks", "no"),
            ("o:tracking-opens", "no"),
        ]
        fields += (MIMEMessage.automatic + MIMEMessage.unsubscribing(message)).map { ("h:\($0.name)", $0.value) }
        if let code = message.addressCode { fields.append(("v:\(AddressCodes.variable)", code)) }
        if settings.isTestMode { fields.append(("o:testmode", "yes")) }
        var request = HTTPClientRequest(url: "\(settings.baseURL)/v3/\(settings.domain)/messages")
        request.method = .POST
        request.setBasicAuth(username: "api", password: settings.apiKey.value)
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: PercentEncoding.form(fields)))
        return request
    }
}

/// The relevant part of a success response.
private struct Queued: Decodable {
    let id: String
}

extension BoundedExchange.Response {
    /// - Throws: `MailError` unless the mail was queued.
    fileprivate func judgeMailgun(at now: Date) throws(MailError) {
        switch status {
        case 200:
            // A response without an id is not from Mailgun, but from a proxy or a login page.
            guard (try? JSONDecoder().decode(Queued.self, from: body)) != nil else {
                throw .unavailable("Mailgun's answer cannot be read (200)")
            }
        case 429:
            throw .unavailable("Mailgun asks for fewer mails (429)", retryAfter: wait(at: now))
        case 408, 500...599:
            throw .unavailable("Mailgun has a problem (\(status))", retryAfter: wait(at: now))
        case 300...399: throw .misconfigured("MAILGUN_BASE_URL is not Mailgun's address: it redirects (\(status))")
        case 401: throw .misconfigured("Mailgun does not know the API key (401)")
        case 402, 403: throw .misconfigured("Mailgun forbids sending (\(status))\(hint)")
        case 404: throw .misconfigured("Mailgun does not know the domain, or not in this region (404)")
        case 413: throw .rejected("Mailgun finds the mail too large (413)")
        // The only 400 about the recipient alone; the one about the sender has another name in it.
        case 400 where text.contains("'to' parameter is not a valid address"):
            throw .undeliverable("Mailgun refused the recipient's address (400)")
        default: throw .rejected("Mailgun refused the mail (\(status))\(hint)")
        }
    }

    private var text: String { String(decoding: body, as: UTF8.self).lowercased() }

    /// In our own words, since Mailgun's may quote an address. There are no codes for these cases, only messages.
    private var hint: String {
        if text.contains("sandbox") { return ": a sandbox domain sends to authorised recipients only" }
        if text.contains("not a valid address") { return ": an address is not valid" }
        return ""
    }
}
