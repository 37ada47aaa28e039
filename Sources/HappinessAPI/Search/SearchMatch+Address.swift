import Services

extension SearchService {
    /// The best matches, those among the pages of the web app included.
    func best(
        for typed: String, by principal: Principal, in frame: PageFrame, words: LocalizedTexts
    ) async throws -> [SearchMatch] {
        let found = try await matches(
            typed, by: principal, words: words, feedbackPage: SprintPageController.feedbackPage)
        let terms = SearchTerms(typed)
        let pages = SearchablePage.all(for: frame, words: words).compactMap { page in
            terms.rank(title: page.title, text: page.keywords).map {
                SearchMatch(.page(page.address), title: page.title, detail: page.place, rank: $0)
            }
        }
        return SearchMatch.best(of: found + pages)
    }
}

extension SearchMatch.Target {
    /// The kinds in API and pages.
    enum Kind: String, CaseIterable {
        case team, person, page, action, sprint, feedback

        /// In the page's language.
        func label(_ words: LocalizedTexts) -> String {
            words.text("search.\(rawValue)")
        }
    }

    var kind: Kind {
        switch self {
        case .team: .team
        case .person: .person
        case .page: .page
        case .action: .action
        case .sprint: .sprint
        case .feedback: .feedback
        }
    }

    /// The path that shows it.
    var address: String {
        switch self {
        case .team(let team, isMember: true): LivePageController.path(of: team)
        case .team(let team, isMember: false): TeamOverviewPageController.path(of: team)
        case .person(let user, nil): AdminUserPageController.path(of: user)
        // A colleague has no page: the board says what they work on.
        case .person(_, let team?): ActionBoardPageController.path(of: team)
        case .page(let path): path
        case .action(let action, let team): ActionPageController.path(of: action, in: team)
        case .sprint(let label, let team): SprintPageController.path(of: team, label: label)
        case .feedback(_, let label, let team, let after):
            PageAddress.of(SprintPageController.path(of: team, label: label), ["after": after?.description])
                + "#feedback"
        }
    }
}

/// A page that the search finds by its title or its purpose.
struct SearchablePage: Sendable {
    let address: String
    let title: String
    /// The team of the page; empty if it has none.
    var place = ""
    /// Other words for it.
    var keywords = ""

    /// The pages that a viewer may see. A team's pages are those of the present team.
    static func all(for frame: PageFrame, words: LocalizedTexts) -> [SearchablePage] {
        guard let viewer = frame.viewer else { return [] }
        var pages: [SearchablePage] = []
        if let team = viewer.place {
            func page(_ end: String, _ title: String, _ keywords: String = "") -> SearchablePage {
                SearchablePage(address: team.address + end, title: title, place: team.name, keywords: keywords)
            }
            pages += [
                page("", words.text("app.now"), words.text("search.nowKeywords")),
                page("/history", words.text("app.history"), words.text("search.historyKeywords")),
                page("/actions", words.text("actions.title"), words.text("search.actionsKeywords")),
            ]
            if viewer.managesPlace {
                pages += [
                    page("/manage", words.text("manage.title"), words.text("search.manageKeywords")),
                    page("/manage/settings", words.text("teamSettings.title"), words.text("search.rulesKeywords")),
                    page("/manage/members", words.text("members.title"), words.text("search.membersKeywords")),
                    page("/manage/reminders", words.text("teamReminders.title"), words.text("quietDays.title")),
                    page("/manage/messages", words.text("teamMessages.title")),
                    page("/manage/experiments", words.text("experiments.title")),
                ]
            }
        }
        pages += [
            SearchablePage(
                address: SettingsPageController.path, title: words.text("settings.title"),
                keywords: words.text("search.settingsKeywords")),
            SearchablePage(
                address: NotificationSettingsPageController.path, title: words.text("notifications.title"),
                keywords: words.text("search.notificationsKeywords")),
            SearchablePage(address: "/settings/picture", title: words.text("picture.title")),
            SearchablePage(address: "/settings/password", title: words.text("password.title")),
            SearchablePage(address: EmailSettingsPageController.path, title: words.text("email.title")),
            SearchablePage(
                address: SessionSettingsPageController.path, title: words.text("sessions.title"),
                keywords: words.text("search.sessionsKeywords")),
            SearchablePage(address: "/api", title: words.text("settings.api")),
        ]
        if viewer.isAdmin {
            pages += AdministrationSection.allCases.map {
                SearchablePage(address: $0.path, title: $0.label(words), place: words.text("admin.title"))
            }
        }
        return pages
    }
}
