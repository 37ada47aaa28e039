import Domain
import Foundation
import Logging
import Mail
import Ports
import Services
import Storage

/// Renders mails and passes them to the driver; shared by all handlers of mail jobs.
struct MailSender: Sendable {
    let driver: any MailDriver
    let templates: MailTemplates
    /// Sender of every mail.
    let from: MailAddress
    /// Base URL of links (`ServerSettings.publicURL`).
    let publicURL: String
    /// Stores the tokens of the links.
    let store: any Store
    /// Signs the links that end a kind of mail.
    let unsubscribing: UnsubscribeTokens
    /// Marks recipients whose address takes no mails.
    let addresses: AddressFaultService
    /// Limits how many mails are sent at once.
    var limiter = MailLimiter()

    /// For mails that crash their workers; `MailJobKind.patience` ends the others. With the standard `RetryPolicy` a day
    /// takes about 200 attempts, and the two weeks of an invitation 2,700.
    static let maximumAttempts = 5_000
    /// Three times the drivers' own deadline.
    static let deadline = Duration.seconds(60)

    /// Sends a mail without a secret.
    /// - Throws: `MailError`; `JobError.rejected` for an address that mail cannot be sent to.
    func send(_ content: some MailContent, to address: String, locale: String, in context: JobContext) async throws {
        try await deliver(
            try message(content, id: id(in: context), to: address, locale: locale, userID: nil, at: context.now))
        Logger.current.info("Sent a mail")
    }

    /// Sends a mail that its recipient can switch off.
    /// - Throws: as the other `send`.
    func send(_ content: some MailContent, to user: User, in context: JobContext) async throws {
        try await deliver(
            try message(
                content, id: id(in: context), to: user.email, locale: user.locale, userID: user.id, at: context.now))
        Logger.current.info("Sent a mail")
    }

    /// Sends a mail with a one-time link. The token is stored before the mail is sent, so a link that arrives is valid.
    /// A retry creates another token, since only the hash of the first one is stored.
    /// - Parameters:
    ///   - subject: the id of the object that `purpose` implies.
    ///   - content: creates the mail from the link and its lifetime.
    /// - Throws: as the other `send`; `StorageError.unavailable`.
    func send<Content: MailContent>(
        _ purpose: OneTimeToken.Purpose, subject: String, to address: String, locale: String, in context: JobContext,
        content: (_ link: String, _ lifetime: Duration) -> Content
    ) async throws {
        let (text, token) = OneTimeToken.make(purpose, subject: subject, email: address, at: context.now)
        try await store.write { try $0.insert(token) }
        let link = purpose.link(publicURL: publicURL, token: text)
        try await send(content(link, .seconds(purpose.lifetime)), to: address, locale: locale, in: context)
    }

    /// Sends a mail of a delivery without logging it: the number of log lines would reveal how many have not voted.
    /// - Parameters:
    ///   - id: always the same for this user and this delivery, so that a repeated mail is shown once.
    ///   - dependsOnVotes: whether only members who have not voted get it. It then marks nobody whose address rejects
    ///     it: the mark would tell that they had not voted.
    /// - Throws: as the others.
    func sendQuietly(
        _ content: some MailContent, id: MailMessage.ID, to user: User, dependsOnVotes: Bool, at now: Date
    ) async throws {
        try await deliver(
            try message(
                content, id: id, to: user.email, locale: user.locale, userID: user.id, marks: !dependsOnVotes, at: now))
    }

    private func deliver(_ message: MailMessage) async throws {
        do {
            try await limiter.send { try await driver.send(message) }
        } catch let error as MailError {
            if case .undeliverable = error, message.addressCode != nil {
                try await addresses.mark(message.to.email.text, as: .bounced)
            }
            throw error
        }
    }

    /// - Parameters:
    ///   - userID: the user who can switch the mail off, if it is of such a kind.
    ///   - marks: whether its recipient is marked if it does not arrive.
    private func message<Content: MailContent>(
        _ content: Content, id: MailMessage.ID, to address: String, locale: String, userID: User.ID?,
        marks: Bool = true, at now: Date
    ) throws -> MailMessage {
        var unsubscribeLink: UnsubscribeLink?
        if let subscription = Content.subscription, let userID {
            unsubscribeLink = UnsubscribeLink(
                unsubscribing.link(publicURL: publicURL, ending: subscription, of: userID))
        }
        return try templates.message(
            content, id: id, date: now, from: from, to: MailAddress(email: try recipient(address)),
            locale: MailLocale(tag: locale), unsubscribeLink: unsubscribeLink,
            addressCode: marks ? addresses.code(of: address) : nil)
    }

    /// One job is one mail: a retry has the same Message-ID, so that mail programs show it once.
    private func id(in context: JobContext) -> MailMessage.ID {
        MailMessage.ID(context.job.id.description) ?? .random()
    }

    /// The page on which a password reset is requested.
    var forgottenPasswordPage: String { "\(publicURL)/forgot-password" }

    /// Addresses were validated when they were stored; this catches a store that another program has written to.
    private func recipient(_ address: String) throws(JobError) -> EmailAddress {
        do {
            return try EmailAddress(address)
        } catch {
            throw .rejected("the recipient's address is not one")
        }
    }
}
