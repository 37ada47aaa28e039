import Domain
import Foundation

@testable import HappinessAPI
@testable import Services

/// All pages about people, invitations, teams, deliveries and jobs, with made-up data.
enum AdminPageSamples {
    /// - Parameter text: used wherever text of another user may appear.
    static func pages(saying text: String, in frame: PageFrame, words: LocalizedTexts) -> [any Page] {
        let user = User(
            stored: .random(), name: text, displayName: text, email: text, pendingEmail: nil, role: .admin,
            passwordHash: nil,
            isDisabled: true, defaultTeamID: nil, locale: "en", notifications: NotificationSettings(), picture: nil,
            createdOn: CalendarDay(instant: TestApp.now, in: .gmt),
            addressFault: AddressFault(kind: .bounced, since: CalendarDay(instant: TestApp.now, in: .gmt)),
            emailSetOn: CalendarDay(instant: TestApp.now, in: .gmt))
        let team = Team(name: text)
        var visit = PageVisit(
            principal: Principal(userID: .random(), sessionID: .random()), user: user, frame: frame, words: words,
            team: nil)
        visit.done = text
        visit.problem = FormProblem(text)
        let navigation = AdministrationNavigation(at: .people, words: words)
        let invitation = Invitation(
            email: text, role: .member, teamID: team.id, teamRole: .lead, locale: "en",
            sent: CalendarDay(instant: TestApp.now, in: .gmt))
        let rejection = AppError(.malformed, Sentence(verbatim: text))
        let report = InvitationLineReport(number: 2, email: text, result: .failure(rejection), column: text)
        var draft = AdminInvitationDraft()
        draft.email = text
        draft.team = text
        return [
            AdminUserListPage(
                UserListPage(people: [ListedUser(user: user, teamCount: 2)], nextAfter: text), search: text,
                isFirst: false, visit: visit),
            AdminUserPage(Person(user: user, places: [.init(team: team, role: .lead)]), visit: visit),
            AdminUserDeletionPage(
                navigation: navigation, address: SitePath(path: text), name: text, email: text, isSelf: false,
                problem: FormProblem(text)),
            AdminInvitationsPage(
                [invitation, invitation], limit: 1, teamNames: [team.id: text], isFirst: false, visit: visit),
            AdminNewInvitationPage(draft, teamNames: [text], visit: visit),
            AdminImportPage(navigation: navigation, problem: FormProblem(text)),
            AdminImportDonePage([report], ignoredColumns: [text], list: text, visit: visit),
            AdminTeamDeletionPage(
                navigation: navigation, address: SitePath(path: text), name: text, question: text,
                problem: FormProblem(text)),
            AdminTeamsPage([team, team], limit: 1, search: text, isFirst: false, visit: visit),
            AdminNewTeamPage(name: text, timeZone: text, visit: visit),
            AdminDeliveriesPage(
                [DeliveryReport(delivery: delivery(to: team, saying: text), counts: DeliveryCounts())], search: text,
                isUnknown: false, proposals: [text], teamNames: [team.id: text], isFirst: false, visit: visit),
            AdminJobsPage(
                [JobSummary(Job(kind: text, state: .dead, runAt: TestApp.now, lastError: text))], state: .dead,
                counts: [(.dead, 1)], settingsError: text,
                clockGap: ClockGap(newest: TestApp.now - 100_000, now: TestApp.now), visit: visit),
        ]
    }

    private static func delivery(to team: Team, saying text: String) -> Delivery {
        Delivery(
            occasion: .init(
                sprint: Sprint.Key(teamID: team.id, start: TestApp.now), kind: .message,
                day: CalendarDay(instant: TestApp.now, in: .gmt)),
            begun: TestApp.now, trouble: .windowMissed, text: .init(title: text, body: text))
    }
}
