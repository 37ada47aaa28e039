package import Domain

// Mails to the members of a team. A user can switch them off.

/// Sent to a member who has not voted yet and cannot get a push message.
package struct ReminderMail: MailContent {
    package static let kind = MailKind.reminder
    /// The user's reminders and team messages.
    package static let subscription: MailSubscription? = .reminders
    /// The name in the greeting.
    package let userName: String
    /// The reminder's title; the team may have its own text.
    package let title: String
    /// The team's own title for the subject; `nil` without one.
    package let titleInSubject: String?
    /// The team's name for the subject.
    package let teamInSubject: String?
    /// The reminder's body; the team may have its own text.
    package let body: String
    /// The same, line by line.
    package let bodyLines: [MailParagraph.Line]
    /// Whether the team's rules hide single votes.
    package let isProtected: Bool
    package let link: String?
    /// The page on which the user can ask for another reminder; `nil` if there will be none.
    package let laterLink: String?

    /// - Parameters:
    ///   - title: never becomes a link, nor does `body`: a lead who sees visits to a link of theirs would learn who has
    ///     not voted.
    ///   - hasOwnTitle: whether the team wrote the title, which then is the subject.
    ///   - link: the page with the ballot's form. It contains no secret.
    package init(
        userName: String, teamName: String, title: String, hasOwnTitle: Bool, body: String, isProtected: Bool,
        link: String, laterLink: String?
    ) {
        self.userName = userName.unlinked
        self.title = title.unlinked
        titleInSubject = hasOwnTitle ? title.inSubject : nil
        teamInSubject = teamName.inSubject
        self.body = body.unlinked
        bodyLines = MailParagraph(self.body).lines
        self.isProtected = isProtected
        self.link = link
        self.laterLink = laterLink
    }
}

/// A message from a lead or administrator to a team, for a member who cannot get a push message.
package struct TeamMessageMail: MailContent {
    package static let kind = MailKind.teamMessage
    /// The user's reminders and team messages.
    package static let subscription: MailSubscription? = .reminders
    /// The name in the greeting.
    package let userName: String
    package let teamName: String
    /// The name of the message's author; `nil` if the account was deleted or the recipient may not know it.
    package let authorName: String?
    package let title: String
    /// The title for the subject; `nil` if nothing of it is visible.
    package let titleInSubject: String?
    /// The message's body with its line breaks.
    package let body: String
    /// The same, line by line.
    package let bodyLines: [MailParagraph.Line]
    package let link: String?

    /// - Parameters:
    ///   - body: addresses in it become links, as its author intends.
    ///   - link: the service's start page. It contains no secret.
    package init(userName: String, teamName: String, authorName: String?, title: String, body: String, link: String) {
        self.userName = userName.unlinked
        self.teamName = teamName.unlinked
        self.authorName = authorName?.unlinked
        self.title = title
        titleInSubject = title.inSubject
        self.body = body
        bodyLines = MailParagraph(body).lines
        self.link = link
    }
}
