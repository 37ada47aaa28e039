import Domain
import Services

extension SearchService {
    /// The best matches, those among the pages of the web app included.
    /// - Parameter texts: of all languages, for the words that people know a page by.
    func best(
        for typed: String, by principal: Principal, in frame: PageFrame, words: LocalizedTexts, texts: Texts
    ) async throws -> [SearchMatch] {
        let found = try await matches(
            typed, by: principal, words: words, feedbackPage: SprintPageController.feedbackPage)
        let terms = SearchTerms(typed)
        let pages = SearchablePage.all(for: frame, words: words).compactMap {
            $0.match(terms, words: words, texts: texts)
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
        case .person(let user, .account): .adminPerson(user)
        case .person(_, .memberList(let team, let name)):
            SitePath.members(of: team).adding("search", name).at("people")
        case .person(_, .board(let team)): .actions(of: team)
        case .page(let path): SitePath(path: path)
        case .action(let action, let team): .action(action, of: team)
        case .sprint(let label, let team): .sprint(label, of: team)
        case .feedback(_, let label, let team, let after):
            .sprint(label, of: team).adding("after", after?.description).at("feedback")
        }
    }
}

/// A page, or a place on it, that the search finds by its title or by what people call it.
struct SearchablePage: Sendable {
    let address: SitePath
    /// The name of its title's text.
    let title: String
    /// The name of the text with other words for it.
    let keywords: String
    /// The team of the page; empty if it has none.
    let place: String

    /// - Parameter keywords: without the section and the ending that all of them have.
    private init(_ address: SitePath, _ title: String, keywords: String, place: String = "") {
        self.address = address
        self.title = title
        self.keywords = "search.\(keywords)Keywords"
        self.place = place
    }

    /// - Parameters:
    ///   - words: in the reader's language.
    ///   - texts: of all languages: many people know one thing by its English name, and another by that of their own.
    /// - Returns: `nil` if the page is not meant.
    func match(_ terms: SearchTerms, words: LocalizedTexts, texts: Texts) -> SearchMatch? {
        let title = words.text(self.title)
        let others = texts.languages.flatMap { [texts[$0].text(self.title), texts[$0].text(keywords)] }
        guard let rank = terms.rank(title: title, text: others.joined(separator: " ")) else { return nil }
        // The inside of a word that nobody sees would look like a mistake.
        guard rank < .inside || terms.rank(title: title) != nil else { return nil }
        return SearchMatch(.page(address.path), title: title, detail: place, rank: rank)
    }

    /// The pages that a viewer may see; of equally good ones the first is shown first, so their own come before those
    /// of the team they lead. A team's pages are those of the present team.
    static func all(for frame: PageFrame, words: LocalizedTexts) -> [SearchablePage] {
        guard let viewer = frame.viewer else { return [] }
        var pages = viewer.place.map(ofMembers) ?? []
        pages += ofEveryone
        if let team = viewer.place, viewer.managesPlace { pages += ofManagers(team) }
        if viewer.isAdmin {
            pages.append(SearchablePage(.admin, "admin.title", keywords: "admin"))
            pages += AdministrationSection.allCases.map {
                SearchablePage(
                    $0.address, "admin.\($0.rawValue)", keywords: "\($0.rawValue)Section",
                    place: words.text("admin.title"))
            }
        }
        return pages
    }

    private static func ofMembers(_ team: Viewer.TeamLink) -> [SearchablePage] {
        let id = team.teamID
        return [
            SearchablePage(.vote(of: id), "vote.title", keywords: "vote", place: team.name),
            SearchablePage(team.address, "app.now", keywords: "now", place: team.name),
            SearchablePage(.history(of: id), "app.history", keywords: "history", place: team.name),
            SearchablePage(.actions(of: id), "actions.title", keywords: "actions", place: team.name),
        ]
    }

    private static func ofManagers(_ team: Viewer.TeamLink) -> [SearchablePage] {
        let id = team.teamID
        let settings = SitePath.teamSettings(of: id)
        let members = SitePath.members(of: id)
        let reminders = SitePath.reminders(of: id)
        return [
            SearchablePage(.management(of: id), "manage.title", keywords: "manage", place: team.name),
            SearchablePage(settings, "teamSettings.title", keywords: "teamSettings", place: team.name),
            SearchablePage(
                settings.at("calendar"), "teamSettings.calendar", keywords: "sprintLength", place: team.name),
            SearchablePage(
                settings.at("protection"), "teamSettings.protection", keywords: "protection", place: team.name),
            SearchablePage(members, "members.title", keywords: "members", place: team.name),
            SearchablePage(members.at("invitations"), "invite.title", keywords: "invite", place: team.name),
            SearchablePage(members.at("share"), "share.title", keywords: "share", place: team.name),
            SearchablePage(reminders, "teamReminders.title", keywords: "teamReminders", place: team.name),
            SearchablePage(reminders.at("quiet"), "quietDays.title", keywords: "quietDays", place: team.name),
            SearchablePage(.messages(of: id), "teamMessages.title", keywords: "teamMessages", place: team.name),
            SearchablePage(.experiments(of: id), "experiments.title", keywords: "experiments", place: team.name),
        ]
    }

    private static let ofEveryone = [
        SearchablePage(SitePath.settings.at("log-out"), "app.logOut", keywords: "logOut"),
        SearchablePage(.settings, "settings.title", keywords: "settings"),
        SearchablePage(.nameSettings, "name.title", keywords: "name"),
        SearchablePage(.emailSettings, "email.title", keywords: "email"),
        SearchablePage(.passwordSettings, "password.title", keywords: "password"),
        SearchablePage(.pictureSettings, "picture.title", keywords: "picture"),
        SearchablePage(SitePath.settings.at("look"), "settings.look", keywords: "look"),
        SearchablePage(SitePath.notificationSettings.at("away"), "absences.title", keywords: "away"),
        SearchablePage(SitePath.notificationSettings.at("calendar"), "calendarFeed.title", keywords: "calendar"),
        SearchablePage(.notificationSettings, "notifications.title", keywords: "notifications"),
        SearchablePage(SitePath.notificationSettings.at("browser"), "push.title", keywords: "browser"),
        SearchablePage(.sessionSettings, "sessions.title", keywords: "sessions"),
        SearchablePage(SitePath.settings.at("data"), "settings.data", keywords: "data"),
        SearchablePage(.accountDeletion, "deletion.title", keywords: "deletion"),
        SearchablePage(.trust, "trust.title", keywords: "trust"),
        SearchablePage(.apiGuide, "settings.api", keywords: "api"),
    ]
}
