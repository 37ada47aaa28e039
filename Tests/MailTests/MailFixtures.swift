import AsyncHTTPClient
import Domain
import Foundation
import Mail
import Services
import Synchronization
import TestSupport

/// Made-up mails.
enum MailFixtures {
    /// Saturday, 21 November 2026, 00:28:51.123 UTC.
    static let date = Date(timeIntervalSince1970: 1_795_220_931.123)

    static func message(
        to recipient: String = "ada@example.com", name: String? = "Ada Lovelace", subject: String = "Hello",
        html: String = "<p>Hello</p>", text: String = "Hello\n", link: String? = nil, unsubscribe: String? = nil,
        from: String = "Happiness Metric <happiness@example.org>", addressCode: String? = nil
    ) throws -> MailMessage {
        guard let id = MailMessage.ID("0123456789abcdef0123456789abcdef") else { throw CocoaError(.featureUnsupported) }
        return MailMessage(
            id: id, date: date, from: try MailAddress(from),
            to: MailAddress(email: try EmailAddress(recipient), name: try name.map { text in try HeaderText(text) }),
            subject: try HeaderText(subject), html: html, text: text, locale: .english, link: link,
            unsubscribeLink: unsubscribe.flatMap(UnsubscribeLink.init), addressCode: addressCode)
    }

    static func templates() throws -> MailTemplates {
        try MailTemplates(
            directory: templateFolder, publicURL: "https://happiness.example.org", texts: texts())
    }

    static func texts() throws -> TextCatalog { try TextCatalog(resources: Repository.resources) }

    static var templateFolder: URL { Repository.root.appending(path: "templates/mail") }

    /// Runs `body` with a client in the worker's configuration.
    static func withClient<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let client = HTTPClient(configuration: MailgunDriver.clientConfiguration)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(client))
        } catch {
            result = .failure(error)
        }
        try await client.shutdown()
        return try result.get()
    }
}

/// Collects what a driver prints.
final class PrintedLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}
