import Foundation
import HTTPTypes
import Hummingbird
import Services

/// The overview of the settings; changes language, theme and default team directly.
struct SettingsPageController: Sendable {
    let forms: SettingsForms
    let accounts: AccountService
    let teams: any TeamStore
    let pictures: PictureLinks
    let cookies: CookieScope

    /// `GET /settings`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0, theme: Theme(request)) }
    }

    private struct LanguageForm: Decodable {
        let language: String
    }

    /// `POST /settings/language`
    func changeLanguage(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(LanguageForm.self, request, context, then: .language) {
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

    /// `POST /settings/theme`: applies to this browser only.
    func changeTheme(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(ThemeForm.self, request, context) {
            try await page($0, theme: Theme(request))
        } response: { form, visit in
            var response = try SettingsForms.done(.theme, for: visit)
            response.headers[.setCookie] = Theme.cookie(Theme(rawValue: form.theme.rawValue), scope: cookies)
            return response
        }
    }

    private struct TeamForm: Decodable {
        let team: String
    }

    /// `POST /settings/team`: sets the default team, which opens first.
    func changeTeam(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(TeamForm.self, request, context, then: .team) {
            try await page($0, theme: Theme(request))
        } _: { form, visit in
            // A malformed id is treated as an unknown team.
            let change = AccountChange(defaultTeamID: Team.ID(form.team) ?? .random())
            _ = try await accounts.change(change, by: visit.principal)
        }
    }

    private func page(_ visit: PageVisit, theme: Theme?) async throws -> SettingsPage {
        let user = try await accounts.account(of: visit.principal)
        let teams = try await self.teams.teams(of: user.id).map(\.team)
        func choice(_ value: String, _ label: String, isChosen: Bool) -> SettingsPage.Choice {
            SettingsPage.Choice(value: value, label: label, isChosen: isChosen)
        }
        func choice(_ language: LocalizedTexts.Language) -> SettingsPage.Choice {
            // In the language itself, so that a user who chose the wrong one can find the way back.
            SettingsPage.Choice(
                value: language.locale.rawValue, label: language.name,
                isChosen: user.language == .chosen(language.locale), code: language.locale.rawValue)
        }
        let words = visit.words
        return SettingsPage(
            name: user.shownName, email: user.email, mailsReturn: user.addressFault != nil,
            pendingEmail: user.pendingEmail, emailSetOn: visit.emailSetOn(user),
            passwordIsHandedOut: user.passwordIsHandedOut,
            pictureLink: pictures.link(toPictureOf: user, .large, .webp).url,
            languages: [
                choice(
                    AccountLanguage.unknown.tag, words.text("settings.languageBrowser"),
                    isChosen: !user.language.isChosen)
            ] + words.languages.map { choice($0) },
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

/// All settings, or links to them.
struct SettingsPage: Page {
    static let template = "settings"

    let name: String
    let email: String
    /// Whether mails to the address do not arrive.
    let mailsReturn: Bool
    /// A new address that is not confirmed yet.
    let pendingEmail: String?
    /// Says when an administrator last set the address.
    let emailSetOn: String?
    /// Whether somebody else set the password.
    let passwordIsHandedOut: Bool
    let pictureLink: String
    let languages: [Choice]
    let themes: [Choice]
    /// The user's teams; empty if there is nothing to choose.
    let teams: [Choice]
    let hasSeveralTeams: Bool
    let version: String
    let done: String?
    let problem: FormProblem?

    /// An option of a form field.
    struct Choice: Sendable {
        let value: String
        let label: String
        let isChosen: Bool
        /// The language of the label, unless it is the page's.
        var code: String?
    }
}
