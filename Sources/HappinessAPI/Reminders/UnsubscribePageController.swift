import Domain
import Hummingbird
import Services

/// The page behind the link in reminders, team messages and results that ends these mails (RFC 8058).
///
/// It needs neither a login nor cookies, and no form token: the link is the permission, and mail programs send its
/// `POST` themselves.
struct UnsubscribePageController: Sendable {
    let pages: PageRenderer
    let unsubscribing: UnsubscribeService

    /// Bytes. Mail programs send `List-Unsubscribe=One-Click`, as a form or in parts; it is not read.
    private static let bodyLimit = 4_096

    /// `GET /unsubscribe?token=`: a page with a button. Changes nothing, since mail scanners open links.
    func form(_ request: Request, context: AppRequestContext) async throws -> Response {
        let token = request.query("token") ?? ""
        return try await forRecipient(of: token, request) { subscription, frame in
            let words = pages.words(frame)
            let page = UnsubscribePage(text: subscription.question(in: words), token: token)
            return try pages.response(page, in: frame)
        }
    }

    /// `POST /unsubscribe?token=`: ends the mails; repeating it changes nothing.
    func unsubscribe(_ request: Request, context: AppRequestContext) async throws -> Response {
        let token = request.query("token") ?? ""
        return try await forRecipient(of: token, request) { subscription, frame in
            _ = try await request.collectedBody(limit: Self.bodyLimit)
            try await unsubscribing.unsubscribe(token)
            let words = pages.words(frame)
            let page = MessagePage(
                title: words.text("unsubscribe.doneTitle"), text: subscription.confirmation(in: words),
                next: .init(address: .notificationSettings, label: words.text("unsubscribe.settings")))
            return try pages.response(page, in: frame)
        }
    }

    private func forRecipient(
        of token: String, _ request: Request, _ handle: (MailSubscription, PageFrame) async throws -> Response
    ) async throws -> Response {
        var subscription = MailSubscription.reminders
        func answer(_: User, in frame: PageFrame) async throws -> Response { try await handle(subscription, frame) }
        return try await pages.renderingErrorsForOwner(request, handle: answer) {
            let (user, ended) = try await unsubscribing.recipient(of: token)
            subscription = ended
            return user
        } expired: { _, words in
            MessagePage(
                title: words.text("unsubscribe.unknownTitle"), text: words.text("unsubscribe.unknownText"),
                next: .init(address: .notificationSettings, label: words.text("unsubscribe.settings")))
        }
    }
}

/// Asks the user whether to end the mails.
struct UnsubscribePage: Page {
    static let template = "unsubscribe"

    /// Which mails end, and what stays.
    let text: String
    /// The token of the link.
    let token: String
}

extension MailSubscription {
    fileprivate func question(in words: LocalizedTexts) -> String {
        switch self {
        case .reminders: words.text("unsubscribe.reminders")
        case .results: words.text("unsubscribe.results")
        }
    }

    fileprivate func confirmation(in words: LocalizedTexts) -> String {
        switch self {
        case .reminders: words.text("unsubscribe.remindersDone")
        case .results: words.text("unsubscribe.resultsDone")
        }
    }
}
