import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The cards of the live view below the present sprint.
@Suite struct LiveCardsTests {
    @Test func `A new team has none of the cards`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let page = try await app.browser(of: team.lead.user).get(team.pagePath).text
            for id in ["trend", "written", "open-actions"] { #expect(!page.contains(#"id="\#(id)""#), "\(id)") }
        }
    }

    @Test func `The last twelve sprints with a value are drawn, with their gaps`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 6]
            // Sprint 20 is missing.
            let numbers = Array(12..<20) + Array(21..<27)
            try await app.importSprints(
                zip(numbers, values).map { (2025, $0, $1, 6) }, of: team)
            let page = try await app.browser(of: team.lead.user).get(team.pagePath).text
            #expect(page.contains("Between 3.0 and 9.0 in the last 12 sprints with a result."))
            #expect(page.contains("See the history"))
            let line = try #require(page.firstMatch(of: /<path class="line" d="(M0[^"]+)"/)).output.1
            #expect(line.hasPrefix("M0 140h0L"), "the first of the twelve has 3.0")
            #expect(line.hasSuffix("L1000 80"))
            #expect(line.matches(of: /M/).count == 2 && line.matches(of: /L/).count == 10)
        }
    }

    @Test(arguments: [(Team.FeedbackReaders.team, 1, true), (.leads, 1, false), (.leads, 0, true)])
    func `Up to three texts of the last sprint, for those who may read them`(
        readers: Team.FeedbackReaders, viewer: Int, areShown: Bool
    ) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9, settings: TeamSettings(feedbackReaders: readers))
            let texts = ["calm & quiet", "calm and loud", "calm and slow", "calm and fast"]
            try await app.importSprints([(2026, 1, 8, 9)], of: team, feedback: texts)
            let page = try await app.browser(of: team.members[viewer].user).get(team.pagePath).text
            #expect(page.matches(of: /<li>calm (?:&amp;|and) \w+<\/li>/).count == (areShown ? 3 : 0))
            #expect(page.contains(#"href="\#(team.pagePath)/sprints/2026/1#feedback">All feedback"#) == areShown)
        }
    }

    @Test func `The first five open actions, those in progress first`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let sprint = ActionSprint(start: TestTeam.firstMonday, label: SprintLabel(year: 2026, number: 2))
            let states: [Action.State] = [.toDo, .onHold, .done, .inProgress, .toDo, .toDo, .onHold]
            for (number, state) in states.enumerated() {
                try await app.stores.insert(
                    Action(
                        teamID: team.id, content: ActionContent(title: "Change \(number)"), state: state, made: sprint),
                    at: .last)
            }
            let page = try await app.browser(of: team.members[1].user).get(team.pagePath).text
            let titles = page.matches(of: /">(Change \d)<\/a>/).map(\.output.1)
            #expect(titles == ["Change 3", "Change 0", "Change 4", "Change 5", "Change 1"])
            #expect(page.contains(#"href="\#(team.actionsPath)">All actions"#))
        }
    }
}
