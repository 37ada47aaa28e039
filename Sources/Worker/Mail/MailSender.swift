import Foundation
import Logging
import Mail
import Shared

/// Writes mails and hands them to the driver: all that the handlers of mail jobs share.
struct MailSender: Sendable {
    /// The way out.
    let driver: any MailDriver
    /// The words.
    let templates: MailTemplates
    /// Sender of every mail.
    let from: MailAddress
    /// What links begin with (`ServerSettings.publicURL`).
    let publicURL: String
    /// Where the tokens of the links are kept.
    let tokens: any OneTimeTokenStore

    /// Attempts. With the standard `RetryPolicy` four to eight hours pass from the first to the last: a mail provider's
    /// bad night. Then the job is dead, and an operator restarts it.
    static let maximumAttempts = 40
    /// Three times the drivers' own deadlines.
    static let deadline = Duration.seconds(60)

    /// Sends a mail that carries no secret.
    /// - Throws: `MailError`; `JobError.refused` for an address that no mail can go to.
    func send(_ content: some MailContent, to address: String, locale: String, in context: JobContext) async throws {
        let message = try templates.message(
            // One job is one mail: a further attempt has the same Message-ID, and mail programs show it once.
            content, id: MailMessage.ID(context.job.id.description) ?? .random(), date: context.now, from: from,
            to: MailAddress(email: try recipient(address)), locale: MailLocale(tag: locale))
        try await driver.send(message)
        Logger.current.info("Sent a mail")
    }

    /// Sends a mail with a one-time link. The token is stored before the mail leaves, so a link that arrives counts; a
    /// further attempt makes a further token, since of the first only the hash is known.
    /// - Parameters:
    ///   - subject: whose or which, as `purpose` says.
    ///   - content: the mail with this link, which counts for so long.
    /// - Throws: as the other `send`; `AppError.storeUnavailable`.
    func send<Content: MailContent>(
        _ purpose: OneTimeToken.Purpose, subject: String, to address: String, locale: String, in context: JobContext,
        content: (_ link: String, _ lifetime: Duration) -> Content
    ) async throws {
        let (text, token) = OneTimeToken.make(purpose, subject: subject, email: address, at: context.now)
        try await tokens.insert(token)
        let link = purpose.link(publicURL: publicURL, token: text)
        try await send(content(link, .seconds(purpose.lifetime)), to: address, locale: locale, in: context)
    }

    /// Sends a mail of a delivery and leaves no line about it in the log: counted, these lines would tell how many have
    /// not voted.
    /// - Parameter id: the same whenever this person gets this delivery, so that a repeated mail is shown once.
    /// - Throws: as the others.
    func sendQuietly(
        _ content: some MailContent, id: MailMessage.ID, to address: String, locale: String, at now: Date
    ) async throws {
        let message = try templates.message(
            content, id: id, date: now, from: from, to: MailAddress(email: try recipient(address)),
            locale: MailLocale(tag: locale))
        try await driver.send(message)
    }

    /// Where a password reset is asked for.
    var forgottenPasswordPage: String { "\(publicURL)/forgot-password" }

    /// Addresses were validated when they were stored; this is for a store that somebody else has written to.
    private func recipient(_ address: String) throws(JobError) -> EmailAddress {
        do {
            return try EmailAddress(address)
        } catch {
            throw .refused("the recipient's address is not one")
        }
    }
}
