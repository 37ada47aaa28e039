import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Product
import Services

/// The overview of the settings; changes language, theme and default team directly.
struct SettingsPageController: Sendable {
    let forms: SettingsForms
    let accounts: AccountService
    let teams: TeamService
    let pictures: PictureLinks
    let cookies: CookieScope

    /// `GET /settings`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context, page)
    }

    private struct LanguageForm: Decodable {
        let language: String
    }

    /// `POST /settings/language`
    func changeLanguage(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(LanguageForm.self, request, context, then: .language, orShow: page) { form, visit in
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
        try await forms.submit(ThemeForm.self, request, context, orShow: page) { form, visit in
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
        try await forms.submit(TeamForm.self, request, context, then: .team, orShow: page) { form, visit in
            // A malformed id is treated as an unknown team.
            let change = AccountChange(defaultTeamID: Team.ID(form.team) ?? .random())
            _ = try await accounts.change(change, by: visit.principal)
        }
    }

    private func page(_ visit: PageVisit) async throws -> SettingsPage {
        let user = try await accounts.account(of: visit.principal)
        let teams = try await self.teams.list(of: visit.principal).map(\.team)
        // In the language itself, so that a user who chose the wrong one can find the way back.
        let languages = visit.words.languages.map { language in
            FormOption(
                language.locale.rawValue, language.name, isChosen: user.language == .chosen(language.locale),
                code: language.locale.rawValue)
        }
        let words = visit.words
        return SettingsPage(
            name: user.shownName, email: user.email, mailsReturn: user.addressFault != nil,
            pendingEmail: user.pendingEmail, emailSetOn: visit.emailSetOn(user),
            passwordIsHandedOut: user.passwordIsHandedOut,
            pictureLink: pictures.link(toPictureOf: user, .large, .webp).url,
            languages: [
                FormOption(
                    AccountLanguage.unknown.tag, words.text("settings.languageBrowser"),
                    isChosen: !user.language.isChosen)
            ] + languages,
            themes: [
                FormOption("system", words.text("settings.themeSystem"), isChosen: visit.frame.theme == nil),
                FormOption("light", words.text("settings.themeLight"), isChosen: visit.frame.theme == .light),
                FormOption("dark", words.text("settings.themeDark"), isChosen: visit.frame.theme == .dark),
            ],
            teams: teams.map { FormOption($0.id.description, $0.name, isChosen: $0.id == user.defaultTeamID) }
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
    let languages: [FormOption]
    let themes: [FormOption]
    /// The user's teams; empty if there is nothing to choose.
    let teams: [FormOption]
    let hasSeveralTeams: Bool
    let version: String
    let done: String?
    let problem: FormProblem?
}
