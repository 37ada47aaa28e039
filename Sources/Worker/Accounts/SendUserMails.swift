import Domain
import Mail
import Services
import Storage

// A user who was deleted or disabled meanwhile gets no mail, and the job succeeds.

/// Sends the link to choose a new password.
struct SendPasswordResetMail: MailJobHandler {
    let store: any Store
    let mails: MailSender

    var mailKind: MailJobKind { .passwordReset }

    func run(_ context: JobContext) async throws {
        let userID = try context.parameters(as: UserMailPayload.self).userID
        guard let user = try await store.user(userID), !user.isDisabled else { return }
        try await mails.send(
            .passwordReset, subject: userID.description, to: user.email, locale: user.locale, in: context
        ) { link, lifetime in
            PasswordResetMail(userName: user.name, link: link, lifetime: lifetime)
        }
    }
}

/// Tells a user that their password was changed.
struct SendPasswordChangedMail: MailJobHandler {
    let store: any Store
    let mails: MailSender

    var mailKind: MailJobKind { .passwordChanged }

    func run(_ context: JobContext) async throws {
        let userID = try context.parameters(as: UserMailPayload.self).userID
        guard let user = try await store.user(userID), !user.isDisabled else { return }
        let mail = PasswordChangedMail(userName: user.name, link: mails.forgottenPasswordPage)
        try await mails.send(mail, to: user.email, locale: user.locale, in: context)
    }
}

/// Sends the link that confirms a user's new address, to that address.
struct SendVerifyEmailMail: MailJobHandler {
    let store: any Store
    let mails: MailSender

    var mailKind: MailJobKind { .emailChange }

    func run(_ context: JobContext) async throws {
        let userID = try context.parameters(as: UserMailPayload.self).userID
        guard let user = try await store.user(userID), !user.isDisabled, let address = user.pendingEmail else {
            return
        }
        // The address already has an account. The user who asked for the change is not told, so that no one can find
        // out who has one.
        guard try await store.user(login: address) == nil else { return }
        try await mails.send(
            .emailChange, subject: userID.description, to: address, locale: user.locale, in: context
        ) { link, lifetime in
            VerifyEmailMail(link: link, lifetime: lifetime)
        }
    }
}

/// Tells the old address that it no longer belongs to the account. A deleted user gets no mail; a disabled one does,
/// since the account may have been hijacked.
struct SendEmailChangedMail: MailJobHandler {
    let store: any Store
    let mails: MailSender

    var mailKind: MailJobKind { .emailChanged }

    func run(_ context: JobContext) async throws {
        let payload = try context.parameters(as: EmailChangedMailPayload.self)
        guard let user = try await store.user(payload.userID) else { return }
        try await mails.send(
            EmailChangedMail(userName: user.name, byAdmin: payload.byAdmin ?? false, provider: payload.provider),
            to: payload.oldEmail, locale: user.locale, in: context)
    }
}

/// Tells a user that their account now accepts logins through an OpenID provider.
struct SendIdentityLinkedMail: MailJobHandler {
    let store: any Store
    let mails: MailSender

    var mailKind: MailJobKind { .identityLinked }

    func run(_ context: JobContext) async throws {
        let payload = try context.parameters(as: IdentityLinkedMailPayload.self)
        guard let user = try await store.user(payload.userID), !user.isDisabled else { return }
        let mail = IdentityLinkedMail(userName: user.name, provider: payload.provider)
        try await mails.send(mail, to: user.email, locale: user.locale, in: context)
    }
}

/// Sends the mail with which an administrator tests whether mails arrive. That the job is done says that the mail
/// server or service took it.
struct SendTestMail: MailJobHandler {
    let store: any Store
    let mails: MailSender

    var mailKind: MailJobKind { .test }

    func run(_ context: JobContext) async throws {
        let userID = try context.parameters(as: UserMailPayload.self).userID
        guard let user = try await store.user(userID), !user.isDisabled else { return }
        try await mails.send(TestMail(userName: user.name), to: user.email, locale: user.locale, in: context)
    }
}
