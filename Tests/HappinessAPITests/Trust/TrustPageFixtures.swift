import Domain
import Foundation
import Services
import TestSupport

@testable import HappinessAPI

/// The pages about trust, with made-up data.
enum TrustPageSamples {
    /// - Parameter text: used wherever text of another user may appear.
    static func pages(
        saying text: String, in frame: PageFrame, texts: TextCatalog, words: LocalizedTexts
    ) -> [any Page] {
        let installation = TrustInstallation(
            address: text, usesHTTPS: true, usesMongoDB: true, feedbackDays: 365, makesBackups: true,
            recipients: TrustInstallation.Recipient.allCases, loginProviders: [text])
        let team = Team(name: text)
        let sprint = Sprint(
            teamID: team.id, start: TestTeam.firstMonday, end: TestTeam.firstMonday + 14 * TestTeam.day,
            closes: TestTeam.firstMonday + 14 * TestTeam.day, label: SprintLabel(year: 2026, number: 1), threshold: 3,
            policy: .live)
        return [
            TrustPage(
                installation, webAppHash: text, team: team, sprint: sprint, others: [Team(name: text)], words: words),
            PrivacyNoticePage(
                installation, texts: texts, language: frame.language.mailLocale, isAdministrator: true, words: words),
        ]
    }
}
