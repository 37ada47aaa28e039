import Domain
import Foundation
import Mail
import Services

/// The text of a delivery, as a message and as a mail.
struct DeliveryTexts: Sendable {
    let delivery: Delivery
    let team: Team
    let sprint: Sprint
    let settings: ReminderSettings
    /// The two wordings of an experiment; `nil` for most deliveries.
    let experiment: ExperimentWordings?
    /// `ReminderPlan.daysLeft(on:)` of the delivery's day.
    let daysLeft: Int
    /// Whether the recipient can be reminded again on a later day.
    let canWait: Bool
    /// When a message becomes useless: the end of the sprint by the push services' clock.
    let expires: Date
    /// The user who wrote a message; `nil` for other deliveries, and if that account was deleted.
    let author: User?
    /// Base URL of links.
    let publicURL: String
    /// For the standard texts.
    let texts: Texts

    /// Everything that may differ between two users' messages. Neither stored nor logged.
    struct Version: Hashable {
        fileprivate let locale: MailLocale
        fileprivate let side: ReminderExperiment.Side?
    }

    /// The version for a device: its language, and its owner's side of the experiment.
    func version(for device: Device) -> Version {
        version(for: device.userID, locale: device.locale)
    }

    /// The message in a version.
    func push(_ version: Version) -> PushMessage {
        let text = text(version)
        return PushMessage(
            title: text.title, body: text.body, link: link,
            later: laterLink.map { PushMessage.Later(label: texts[version.locale].text("reminder.later"), link: $0) },
            teamID: team.id, sprintLabel: sprint.label.description, collapseKey: collapseKey, expires: expires)
    }

    /// The mail to a user, in their language.
    func mail(to user: User) -> any MailContent {
        let version = version(for: user.id, locale: user.locale)
        let text = text(version)
        return switch delivery.occasion.kind {
        case .reminder, .secondReminder, .test:
            ReminderMail(
                userName: user.shownName, teamName: team.name, title: text.title, hasOwnTitle: hasOwnTitle(version),
                body: text.body, isProtected: sprint.policy != .immediate, link: link, laterLink: laterLink)
        case .message:
            TeamMessageMail(
                userName: user.shownName, teamName: team.name, authorName: authorName(for: user), title: text.title,
                body: text.body, link: link)
        }
    }

    /// A guest does not learn who else is here.
    private func authorName(for user: User) -> String? {
        user.role == .guest && user.id != author?.id ? nil : author?.shownName
    }

    /// Always the same for this user and this delivery.
    func mailID(for userID: User.ID) -> MailMessage.ID {
        let hash = SecureBytes.sha256(Data("\(delivery.id)|\(userID)".utf8))
        return MailMessage.ID(hash.prefix(16).hexadecimal) ?? .random()
    }

    /// A reminder links to the ballot's form, which redirects users who have voted to the team's live view. A message
    /// links to the live view directly.
    private var link: String {
        let team = "\(publicURL)/teams/\(team.id)"
        return switch delivery.occasion.kind {
        case .reminder, .secondReminder, .test: "\(team)/vote"
        case .message: team
        }
    }

    /// Leads to the question whether to be reminded again.
    private var laterLink: String? { canWait ? "\(link)/later" : nil }

    /// The same for all reminders of a sprint, since a later one replaces an earlier one; each message has its own.
    private var collapseKey: String {
        switch delivery.occasion.kind {
        case .reminder, .secondReminder:
            let key = delivery.occasion.sprint
            let seconds = Int64(key.start.timeIntervalSince1970)
            return SecureBytes.sha256(Data("\(key.teamID)|\(seconds)".utf8)).prefix(16).hexadecimal
        case .message, .test: return delivery.id.description
        }
    }

    private func version(for userID: User.ID, locale: String) -> Version {
        Version(locale: MailLocale(tag: locale), side: experiment?.side(of: userID))
    }

    private func text(_ version: Version) -> ReminderText {
        if let kind = delivery.occasion.kind.reminderKind {
            let writer = ReminderWriter(
                settings: settings(for: version), teamName: team.name, sprint: sprint.label, texts: texts)
            return writer.text(for: kind, in: version.locale, daysLeft: daysLeft)
        }
        return ReminderText(title: delivery.text?.title ?? "", body: delivery.text?.body ?? "")
    }

    /// Whether the team wrote the reminder's title itself.
    private func hasOwnTitle(_ version: Version) -> Bool {
        guard let kind = delivery.occasion.kind.reminderKind else { return false }
        return !settings(for: version)[kind, version.locale].title.isEmpty
    }

    /// The reminders' texts, with those of an experiment's side.
    private func settings(for version: Version) -> ReminderSettings {
        guard let experiment, let side = version.side else { return settings }
        return experiment.settings(settings, for: side)
    }
}
