import Domain
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
                SearchMatch(.page(page.address.path), title: page.title, detail: page.place, rank: $0)
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
        func label(_ words: LocalizedTexts) -> String { words.text("search.\(rawValue)") }
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

    /// The page that shows it.
    var address: SitePath {
        switch self {
        case .team(let team, isMember: true): .live(of: team)
        case .team(let team, isMember: false): .management(of: team)
        case .person(let user, nil): .adminPerson(user)
        // A colleague has no page: the board says what they work on.
        case .person(_, let team?): .actions(of: team)
        case .page(let path): SitePath(path: path)
        case .action(let action, let team): .action(action, of: team)
        case .sprint(let label, let team): .sprint(label, of: team)
        case .feedback(_, let label, let team, let after):
            .sprint(label, of: team).adding("after", after?.description).at("feedback")
        }
    }
}

/// A page that the search finds by its title or its purpose.
struct SearchablePage: Sendable {
    let address: SitePath
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
            func page(_ address: SitePath, _ title: String, _ keywords: String = "") -> SearchablePage {
                SearchablePage(address: address, title: title, place: team.name, keywords: keywords)
            }
            pages += [
                page(team.address, words.text("app.now"), words.text("search.nowKeywords")),
                page(.history(of: team.teamID), words.text("app.history"), words.text("search.historyKeywords")),
                page(.actions(of: team.teamID), words.text("actions.title"), words.text("search.actionsKeywords")),
            ]
            if viewer.managesPlace {
                pages += [
                    page(.management(of: team.teamID), words.text("manage.title"), words.text("search.manageKeywords")),
                    page(
                        .teamSettings(of: team.teamID), words.text("teamSettings.title"),
                        words.text("search.rulesKeywords")),
                    page(.members(of: team.teamID), words.text("members.title"), words.text("search.membersKeywords")),
                    page(.reminders(of: team.teamID), words.text("teamReminders.title"), words.text("quietDays.title")),
                    page(.messages(of: team.teamID), words.text("teamMessages.title")),
                    page(.experiments(of: team.teamID), words.text("experiments.title")),
                ]
            }
        }
        pages += [
            SearchablePage(
                address: .settings, title: words.text("settings.title"),
                keywords: words.text("search.settingsKeywords")),
            SearchablePage(
                address: .notificationSettings, title: words.text("notifications.title"),
                keywords: words.text("search.notificationsKeywords")),
            SearchablePage(address: .pictureSettings, title: words.text("picture.title")),
            SearchablePage(address: .passwordSettings, title: words.text("password.title")),
            SearchablePage(address: .emailSettings, title: words.text("email.title")),
            SearchablePage(
                address: .sessionSettings, title: words.text("sessions.title"),
                keywords: words.text("search.sessionsKeywords")),
            SearchablePage(
                address: .trust, title: words.text("trust.title"), keywords: words.text("search.trustKeywords")),
            SearchablePage(address: .apiGuide, title: words.text("settings.api")),
        ]
        if viewer.isAdmin {
            pages += AdministrationSection.allCases.map {
                SearchablePage(address: $0.address, title: $0.label(words), place: words.text("admin.title"))
            }
        }
        return pages
    }
}
