import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Ports
import Services

/// Receives Mailgun's reports about mails.
struct MailgunWebhookController: Sendable {
    let addresses: AddressFaultService
    /// `MAILGUN_WEBHOOK_SIGNING_KEY`; `nil` if no reports are expected.
    let key: SecretText?

    /// `POST /webhooks/mailgun`
    ///
    /// Mailgun repeats a report unless the answer is 200 or 406. Not read by `JSONFields`: reports contain texts of
    /// mail servers with any character, of which nothing is kept.
    func receive(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard let key else {
            throw AppError(.notFound, "There’s nothing at this address.", reason: .noSuchRoute)
        }
        do {
            let body = try await request.collectedBody(limit: Request.ordinaryLimit)
            let report = try JSONDecoder().decode(MailgunReport.self, from: Data(body.readableBytesView))
            try await addresses.handle(report, signedWith: key)
            return Response(status: .ok)
        } catch is DecodingError {
            return Response(status: .notAcceptable)
        } catch let error as AppError where [.malformed, .tooLarge, .unprocessable].contains(error.code) {
            return Response(status: .notAcceptable)
        }
    }
}
