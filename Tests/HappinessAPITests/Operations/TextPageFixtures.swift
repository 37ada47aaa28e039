import Domain
import Foundation
import TestSupport

@testable import HappinessAPI
@testable import Services

/// The pages of the installation's custom texts, with made-up data.
enum TextPageSamples {
    /// - Parameter text: used wherever text of another user may appear.
    static func pages(saying text: String, in frame: PageFrame, words: LocalizedTexts) throws -> [any Page] {
        var visit = PageVisit(
            principal: Principal(userID: .random(), sessionID: .random()),
            user: User(name: try UserName("admin"), email: try EmailAddress("admin@example.org"), role: .admin),
            frame: frame, words: words, team: nil)
        visit.done = text
        visit.problem = FormProblem(text)
        let entry = TextService.Entry(key: TextKey("live.vote", in: .german), original: text, own: text)
        let change = TextChange(text: text, day: CalendarDay(instant: TestApp.now, in: .gmt))
        return [
            AdminTextListPage([entry], filter: .init(language: .german, search: text, onlyOwn: true), visit: visit),
            AdminTextPage(
                entry, other: entry, history: [change], seen: text, typed: text, isChanged: true, visit: visit),
        ]
    }
}
