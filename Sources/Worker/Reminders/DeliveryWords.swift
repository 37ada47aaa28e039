import Foundation
import Mail
import Shared

/// What a delivery says, as a message and as a mail.
struct DeliveryWords: Sendable {
    let delivery: Delivery
    let team: Team
    let sprint: Sprint
    let settings: ReminderSettings
    /// Two wordings of it that are set against each other; `nil` mostly.
    let experiment: ExperimentWordings?
    /// `ReminderPlan.daysLeft(on:)` of the delivery's day.
    let daysLeft: Int
    /// From when on a message is of no use: the sprint's end by the clock of the services it goes through.
    let expires: Date
    /// What links begin with.
    let publicURL: String

    /// What two people's messages differ in. Neither stored nor logged.
    struct Version: Hashable {
        fileprivate let locale: MailLocale
        fileprivate let side: ReminderExperiment.Side?
    }

    /// The version of a device: its language, its owner's side.
    func version(for device: Device) -> Version {
        version(for: device.userID, locale: device.locale)
    }

    /// The message in a version.
    func push(_ version: Version) -> PushMessage {
        let text = text(version)
        return PushMessage(
            title: text.title, body: text.body, link: link, teamID: team.id, sprintLabel: sprint.label.description,
            collapseKey: collapseKey, expires: expires)
    }

    /// The mail to a user, in their language.
    func mail(to user: User) -> any MailContent {
        let text = text(version(for: user.id, locale: user.locale))
        return switch delivery.occasion.kind {
        case .reminder, .secondReminder, .test:
            ReminderMail(userName: user.name, title: text.title, body: text.body, link: link)
        case .message:
            TeamMessageMail(
                userName: user.name, teamName: team.name, title: text.title, body: text.body, link: link)
        }
    }

    /// The same whenever this user gets this delivery.
    func mailID(for userID: User.ID) -> MailMessage.ID {
        let hash = SecureBytes.sha256(Data("\(delivery.id)|\(userID)".utf8))
        return MailMessage.ID(hash.prefix(16).hexadecimal) ?? .random()
    }

    /// A reminder leads to the vote; whoever has voted comes from there to the team's live view, as from a message.
    private var link: String {
        let team = "\(publicURL)/teams/\(team.id)"
        return switch delivery.occasion.kind {
        case .reminder, .secondReminder, .test: "\(team)/vote"
        case .message: team
        }
    }

    /// One for all reminders of a sprint, for a late one makes an earlier one needless; messages each have their own.
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
            var worded = settings
            if let experiment, let side = version.side { worded = experiment.settings(settings, for: side) }
            return ReminderWriter(settings: worded, teamName: team.name, sprint: sprint.label)
                .text(for: kind, in: version.locale, daysLeft: daysLeft)
        }
        return ReminderText(title: delivery.text?.title ?? "", body: delivery.text?.body ?? "")
    }
}
