import Foundation
import HTTPTypes
import Hummingbird
import Shared

/// The settings at a glance, and those that are one tap: language, theme, default team.
struct SettingsPages: Sendable {
    let forms: SettingsForms
    let accounts: AccountService
    let teams: any TeamStore
    let pictures: PictureLinks

    static let path = "/settings"

    /// `GET /settings`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0, theme: Theme(request)) }
    }

    private struct LanguageForm: Decodable {
        let language: String
    }

    /// `POST /settings/language`
    func changeLanguage(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.take(LanguageForm.self, request, context, then: .language) {
            try await page($0, theme: Theme(request))
        } _: { form, visit in
            _ = try await accounts.change(AccountChange(locale: form.language), by: visit.principal)
        }
    }

    private struct ThemeForm: Decodable {
        let theme: Choice

        enum Choice: String, Decodable {
            case system
            case light
            case dark
        }
    }

    /// `POST /settings/theme`: for this browser.
    func changeTheme(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.take(ThemeForm.self, request, context) {
            try await page($0, theme: Theme(request))
        } answer: { form, _ in
            var response = SettingsForms.done(.theme)
            response.headers[.setCookie] = Theme.cookie(Theme(rawValue: form.theme.rawValue))
            return response
        }
    }

    private struct TeamForm: Decodable {
        let team: String
    }

    /// `POST /settings/team`: the team that opens first.
    func changeTeam(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.take(TeamForm.self, request, context, then: .team) {
            try await page($0, theme: Theme(request))
        } _: { form, visit in
            // Text that cannot be an id is a team that is not there.
            let change = AccountChange(defaultTeamID: Team.ID(form.team) ?? .random())
            _ = try await accounts.change(change, by: visit.principal)
        }
    }

    private func page(_ visit: SettingsVisit, theme: Theme?) async throws -> SettingsPage {
        let user = try await accounts.account(of: visit.principal)
        let teams = try await self.teams.teams(of: user.id).map(\.team)
        func choice(_ value: String, _ label: String, isChosen: Bool) -> SettingsPage.Choice {
            SettingsPage.Choice(value: value, label: label, isChosen: isChosen)
        }
        let words = visit.words
        let language = visit.frame.language
        return SettingsPage(
            name: user.name, email: user.email, pendingEmail: user.pendingEmail,
            pictureLink: pictures.link(toLargePictureOf: user),
            languages: [
                // Each in its own words, so that who took the wrong one finds back.
                choice("en", "English", isChosen: language == .english),
                choice("de", "Deutsch", isChosen: language == .german),
            ],
            themes: [
                choice("system", words.text("settings.themeSystem"), isChosen: theme == nil),
                choice("light", words.text("settings.themeLight"), isChosen: theme == .light),
                choice("dark", words.text("settings.themeDark"), isChosen: theme == .dark),
            ],
            teams: teams.map { choice($0.id.description, $0.name, isChosen: $0.id == user.defaultTeamID) }
                .sorted { $0.label.localizedStandardCompare($1.label) == .orderedAscending },
            hasSeveralTeams: teams.count > 1, version: ProductVersion.current, done: visit.done, problem: visit.problem)
    }
}

/// Everything somebody can set, or where.
struct SettingsPage: Page {
    static let template = "settings"

    let name: String
    let email: String
    /// A new address that is not confirmed yet.
    let pendingEmail: String?
    let pictureLink: String
    let languages: [Choice]
    let themes: [Choice]
    /// Those somebody is in, for who has something to choose between.
    let teams: [Choice]
    let hasSeveralTeams: Bool
    let version: String
    let done: String?
    let problem: String?

    /// One of several.
    struct Choice: Sendable {
        let value: String
        let label: String
        let isChosen: Bool
    }
}

extension PictureLinks {
    /// Of somebody's own picture, or of the initials that stand for it, as a page shows it.
    func link(toLargePictureOf user: User) -> String {
        (user.picture.map { link(to: $0, .large, .webp) } ?? link(to: DefaultPicture(of: user, size: .large))).url
    }
}
