import Domain

extension LocalizedTexts {
    /// The texts of an installation that keeps its mails in a folder (`MailSettings.keepsMails`): none promises a mail,
    /// and all say who has the links.
    var keepingMails: LocalizedTexts {
        var sections = sections
        func replace(_ section: String, _ key: String, by text: String) { sections[section]?[key] = text }
        replace("forgotten", "text", by: text("mailFolder.forgottenText"))
        replace("forgotten", "sentTitle", by: text("mailFolder.askTitle"))
        replace("forgotten", "sentText", by: text("mailFolder.forgottenSent"))
        replace("register", "text", by: text("mailFolder.registerText"))
        replace("register", "sentTitle", by: text("mailFolder.askTitle"))
        replace("register", "sentText", by: text("mailFolder.registerSent"))
        replace("email", "done", by: text("mailFolder.emailDone"))
        replace("email", "pendingHint", by: text("mailFolder.emailPending"))
        replace("invite", "hint", by: text("mailFolder.inviteHint"))
        replace("invite", "invited", by: text("mailFolder.invited"))
        replace("invite", "done", by: text("mailFolder.inviteDone"))
        replace("invite", "resent", by: text("mailFolder.inviteResent"))
        replace("adminInvitations", "hint", by: text("mailFolder.invitationsHint"))
        replace("adminInvitations", "done", by: text("mailFolder.invitationDone"))
        replace("adminInvitations", "resent", by: text("mailFolder.invitationResent"))
        replace("adminPeople", "passwordDone", by: text("mailFolder.passwordDone"))
        replace("notifications", "mailHint", by: text("mailFolder.noMails"))
        replace("notifications", "resultsHint", by: text("mailFolder.noMails"))
        replace("teamMessages", "hint", by: text("mailFolder.messageHint"))
        replace("teamReminders", "testHint", by: text("mailFolder.testHint"))
        return LocalizedTexts(language: language, languages: languages, sections: sections)
    }
}
