import Domain
import Mail
import Services
import Storage

/// Sends the link to confirm a registration.
///
/// Sends nothing to an address that has an account, so that the person who registered cannot find out and its owner is
/// not bothered by strangers; nor for a registration that was replaced or confirmed meanwhile, or never existed.
struct SendRegistrationMail: MailJobHandler {
    let store: any Store
    let mails: MailSender

    var mailKind: MailJobKind { .registration }

    func run(_ context: JobContext) async throws {
        let id = try context.parameters(as: RegistrationMailPayload.self).registrationID
        guard let registration = try await store.read({ try $0.registration(id) }), context.now < registration.expires
        else {
            return
        }
        guard try await store.user(login: registration.email) == nil else {
            return try await store.write { try $0.deleteRegistration(id) }
        }
        try await mails.send(
            .registration, subject: id.description, to: registration.email, locale: registration.locale, in: context
        ) { link, lifetime in
            ConfirmRegistrationMail(link: link, lifetime: lifetime)
        }
    }
}
