import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// History and sprints as members see them.
@Suite struct HistoryPagesTests {
    @Test func `A team without results is told when there will be one`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let page = try await app.browser(of: team.lead.user).get(team.historyPath)
            expectPage(page, saying: "No result yet.")
            #expect(page.text.contains("at least 3"))
            #expect(!page.text.contains("<svg xmlns") && !page.text.contains("history.csv"))
        }
    }

    @Test func `The chart is in the page, with its text and a link to every sprint`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importSprints([(2025, 25, 7, 9), (2025, 26, 5, 9), (2026, 1, 6, 9)], of: team)
            let page = try await app.browser(of: team.lead.user).get(team.historyPath)
            expectPage(page, saying: "6.0 (5–18\u{a0}January, 9 of 9 answers)")
            for label in ["2025/25", "2025/26", "2026/1"] {
                // Twice in the drawings, for wide and narrow windows, and once in the table.
                #expect(page.text.matches(of: try Regex("href=\"/teams/[^\"]*/sprints/\(label)\"")).count == 3)
            }
            #expect(page.text.contains("Line chart of 3 sprints since 8\u{a0}Dec 2025"))
            #expect(page.text.contains("aria-label=\"5–18\u{a0}Jan\u{a0}2026: 6.0 (9 votes)\""))
            #expect(page.text.contains("history.csv?from=2025/25&amp;to=2026/1&amp;language=en"))
        }
    }

    @Test func `Imported results are marked, and have no count to check`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let file = try HistoryFile("start,end,happiness,votes,eligible\n2025-12-08,2025-12-21,7.5,6,9")
            let history = HistoryImport(stores: app.stores, clock: .system)
            #expect(try await history.add(file, to: team.id, replacing: false) == 0)
            let browser = try await app.browser(of: team.lead.user)
            let page = try await browser.get(team.historyPath)
            expectPage(page, saying: "<span class=\"tag\">imported</span>")
            let sprint = try await browser.get(team.sprintPath("2025/25"))
            expectPage(sprint, saying: "This result was imported: another tool counted the votes.")
            #expect(sprint.text.contains("Based on 6 of 9 answers.") && sprint.text.contains(">7.5<"))
            #expect(sprint.text.contains("The distribution was not imported."))
            #expect(!sprint.text.contains("check-count") && !sprint.text.contains("id=\"feedback\""))
            let response = try await app.get("\(team.path)/sprints/2025/25", token: team.lead.token)
            let json = try #require(response.object["sprint"] as? [String: Any])
            #expect(json["imported"] as? Bool == true)
            expectRejection(
                try await app.get("\(team.path)/sprints/2025/25/count", token: team.lead.token), 404)
        }
    }

    @Test func `A long history is shown in steps, which lead back and forth without a script`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let labels = try await app.importFortnights(60, into: team)
            let browser = try await app.browser(of: team.lead.user)
            func link(_ range: ClosedRange<Int>, _ more: String = "") -> String {
                let query = "from=\(labels[range.lowerBound])&amp;to=\(labels[range.upperBound])\(more)"
                return "href=\"\(team.historyPath)?\(query)#stretch\""
            }
            func steps(_ page: String) -> [String] {
                guard let nav = page.firstRange(of: /<nav class="steps"[\s\S]*?<\/nav>/) else { return [] }
                return page[nav].matches(of: /href="[^"]*"/).map { String($0.output) }
            }
            // The last twelve months.
            #expect(steps(try await browser.get(team.historyPath).text) == [link(6...32)])
            let before = try await browser.get(
                "\(team.historyPath)?from=\(labels[6])&to=\(labels[32])"
            ).text
            #expect(steps(before) == [link(0...26), link(33...59)])
            // At the ends a step has as many sprints as elsewhere.
            let first = try await browser.get(
                "\(team.historyPath)?from=\(labels[0])&to=\(labels[26])"
            ).text
            #expect(steps(first) == [link(27...53)])
            let few = try await browser.get(
                "\(team.historyPath)?from=\(labels[2])&to=\(labels[5])&compare=no"
            ).text
            #expect(steps(few) == [link(0...3, "&amp;compare=no"), link(6...9, "&amp;compare=no")])
            // From everything to its last ones.
            let everything = try await browser.get("\(team.historyPath)?year=all").text
            #expect(steps(everything) == [link(33...59)] && everything.contains(">Only the last 27</a>"))
            let year = try await browser.get("\(team.historyPath)?year=1999").text
            #expect(steps(year).isEmpty && year.contains("No results in this period."))
        }
    }

    @Test func `A history that fits into one step has none`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let labels = try await app.importFortnights(27, into: team)
            let browser = try await app.browser(of: team.lead.user)
            for query in ["", "?year=all", "?from=\(labels[3])&to=\(labels[5])"] {
                let page = try await browser.get("\(team.historyPath)\(query)")
                expectPage(page)
                #expect(!page.text.contains("class=\"steps\""))
            }
        }
    }

    /// Three imported sprints, two of them a year apart, before the running one.
    private static let imported = """
        2024/26,2024-12-23,2025-01-05,5,6,9
        2025/26,2025-12-22,2026-01-04,7,6,9
        2026/1,2026-01-05,2026-01-18,8,6,9
        """

    @Test func `Charts and comparisons mark imported results`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importHistory(Self.imported, into: team)
            let browser = try await app.browser(of: team.lead.user)
            let latest = try await browser.get(team.historyPath)
            expectPage(latest, saying: "6 of 9 answers). <span class=\"tag\">imported</span>")
            #expect(latest.text.contains("2 of these results were imported: another tool counted the votes."))

            let year = try await browser.get("\(team.historyPath)?year=2025").text
            #expect(year.contains("<td class=\"number\">5.0 <span class=\"tag\">imported</span></td>"))
            #expect(year.contains("(6 votes, imported, an imported 5.0 a year earlier)"))
            // Beside the chart, and beside the comparison of two years.
            #expect(year.contains("One of these results was imported: another tool counted the votes."))
            #expect(year.contains("2 of these results were imported: another tool counted the votes."))

            let sprint = try await browser.get(team.sprintPath("2026/1")).text
            #expect(sprint.contains("The earlier result was imported: another tool counted the votes."))
        }
    }

    @Test func `A history's files mark imported results`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importHistory(Self.imported, into: team)
            for member in team.members.prefix(6) { _ = try await app.vote(member, in: team, 9) }
            app.clock.advance(by: 2)
            let csv = try await app.get("\(team.path)/history.csv", token: team.lead.token).text
            let lines = csv.split(whereSeparator: \.isNewline)
            #expect(lines.first?.hasSuffix(",imported") == true)
            #expect(lines.dropFirst().map { $0.hasSuffix(",true") } == [true, true, true, false])
            #expect(lines.last?.hasSuffix(",false") == true)
            let chart = try await app.get("\(team.path)/chart.svg", token: team.lead.token).text
            #expect(chart.contains("Happiness per sprint, imported up to 18\u{a0}Jan\u{a0}2026"))
        }
    }

    @Test func `A period is a year, or from one sprint to another in any order`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importSprints(
                [(2024, 5, 4, 9), (2025, 5, 5, 9), (2025, 25, 7, 9), (2025, 26, 5, 9), (2026, 1, 6, 9)], of: team)
            let browser = try await app.browser(of: team.lead.user)
            for (query, labels) in [
                ("", ["2025/5", "2025/25", "2025/26", "2026/1"]), ("?year=2025", ["2025/5", "2025/25", "2025/26"]),
                ("?from=2025/26&to=2025/25", ["2025/25", "2025/26"]), ("?from=2026/1", ["2026/1"]),
                ("?year=all", ["2024/5", "2025/5", "2025/25", "2025/26", "2026/1"]),
            ] {
                let page = try await browser.get(team.historyPath + query).text
                let rows = page.matches(of: /<th scope="row"><a href="[^"]*\/sprints\/([^"]*)">/).map {
                    String($0.output.1)
                }
                #expect(rows == labels.reversed(), "\(query)")
            }
            expectPage(try await browser.get("\(team.historyPath)?year=2023"), saying: "No results in this period")
            expectPage(try await browser.get("\(team.historyPath)?year=x"), 400)
        }
    }

    @Test func `The year before is called a change only if missing answers could not undo it`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let browser = try await app.browser(of: team.lead.user)
            try await app.importSprints([(2025, 1, 5, 9), (2026, 1, 8, 9)], of: team)
            let rise = try await browser.get("\(team.historyPath)?year=2026")
            expectPage(rise, saying: "5.0 → 8.0")
            // No answer is missing, so none is mentioned.
            #expect(rise.text.contains("That’s a rise."))
            #expect(rise.text.contains("Participation: 100% (100% the year before)."))
            #expect(rise.text.contains("hm-earlier"))

            let hidden = try await browser.get("\(team.historyPath)?year=2026&compare=no").text
            #expect(!hidden.contains("hm-earlier") && hidden.contains("Show previous year"))

            let other = try await app.makeTeam("Red", members: 9)
            let colleague = try await app.browser(of: other.lead.user)
            try await app.importSprints([(2025, 1, 5, 6), (2026, 1, 8, 6)], of: other)
            let page = try await colleague.get("\(other.historyPath)?year=2026").text
            #expect(page.contains("We can’t tell if that’s a change") && !page.contains("That’s a rise"))
        }
    }

    @Test func `Many rising sprints are probably a rise, and the page says how rarely chance does that`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let browser = try await app.browser(of: team.lead.user)
            // Nine sprints, one of them lower. Six of nine answers leave a third of the scale open.
            let before = [5, 5, 5, 5, 5, 5, 5, 5, 7].enumerated().map { (2024, $0 + 2, $1, 6) }
            let now = [6, 6, 6, 7, 7, 7, 8, 8, 6].enumerated().map { (2025, $0 + 2, $1, 6) }
            try await app.importSprints(before + now, of: team)
            let page = try await browser.get("\(team.historyPath)?year=2025").text
            #expect(
                page.contains(
                    "That’s probably a rise. If nothing had changed, differences between the two years this clear "
                        + "would come up by chance in at most 1 of 50 comparisons."))
            #expect(page.contains("Participation: 67% (67% the year before)."))
        }
    }

    @Test func `Two sprints are probably different if their published answers are`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let browser = try await app.browser(of: team.lead.user)
            try await app.importSprints([(2025, 26, 8, 6), (2026, 1, 5, 6)], of: team, policy: .immediate, spread: 1)
            let page = try await browser.get(team.sprintPath("2026/1")).text
            #expect(page.contains("That’s probably less than the sprint before (7.8)"))
            #expect(page.contains("answers would differ this clearly by chance in at most 1 of 400 comparisons"))

            // Results of groups are published during the sprint, so its answers stay hidden and nothing rests on them.
            let other = try await app.makeTeam("Red", members: 9)
            try await app.importSprints([(2025, 26, 8, 6), (2026, 1, 5, 6)], of: other, policy: .live, spread: 1)
            let hidden = try await app.browser(of: other.lead.user).get(other.sprintPath("2026/1")).text
            #expect(!hidden.contains("probably") && hidden.contains("We can’t tell if that’s a change"))
        }
    }

    @Test func `Two sprints in which everyone answered are compared without missing answers`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let browser = try await app.browser(of: team.lead.user)
            try await app.importSprints([(2025, 25, 8, 9), (2025, 26, 5, 9), (2026, 1, 9, 8)], of: team)
            let fall = try await browser.get(team.sprintPath("2025/26")).text
            #expect(fall.contains("That’s less than the sprint before (8.0)."))
            let rise = try await browser.get(team.sprintPath("2026/1")).text
            let undisputed = "That’s more than the sprint before (5.0). The answers that aren’t in the two values can’t"
            #expect(rise.contains(undisputed))
        }
    }

    @Test func `A history's files can be loaded with the browser's cookie`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importSprints([(2026, 1, 8, 9)], of: team)
            let browser = try await app.browser(of: team.lead.user)
            let page = try await browser.get(team.historyPath).text
            for kind in ["csv", "svg"] {
                let link = try #require(page.firstMatch(of: try Regex("href=\"([^\"]*\\.\(kind)\\?[^\"]*)\"")))
                let address = try #require(link.output[1].substring).replacing("&amp;", with: "&")
                #expect(try await browser.get(String(address)).status == .ok)
            }
        }
    }

    @Test func `A sprint shows its value, its spread and its feedback`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importSprints(
                [(2025, 26, 5, 9), (2026, 1, 8, 7)], of: team, policy: .close, spread: 2, feedback: ["<i>fine</i>"])
            let page = try await app.browser(of: team.lead.user).get(team.sprintPath("2026/1"))
            expectPage(page, saying: "Based on 7 of 9 answers.")
            #expect(page.text.contains("class=\"figure\">8.0<"))
            #expect(page.text.contains("Answers for each value from 0 to 10: 6: 3, 8: 1, 10: 3"))
            #expect(page.text.contains("&lt;i&gt;fine&lt;/i&gt;") && !page.text.contains("<i>"))
            #expect(page.text.contains("rel=\"prev\" href=\"\(team.sprintPath("2025/26"))\""))
            #expect(page.text.contains("2 of 9 answers aren’t in this value."))
        }
    }

    @Test func `Withheld results are explained in words`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importSprints(
                [(2025, 25, 5, 9), (2025, 26, 5, 4), (2026, 1, 8, 2)], of: team, policy: .close)
            let browser = try await app.browser(of: team.members[1].user)
            let few = try await browser.get(team.sprintPath("2025/26")).text
            #expect(few.contains("This needs at least 5 answers.") && !few.contains("class=\"distribution\""))
            let alike = try await browser.get(team.sprintPath("2025/25")).text
            #expect(alike.contains("The answers are too close together") && !alike.contains("class=\"distribution\""))
            let none = try await browser.get(team.sprintPath("2026/1")).text
            #expect(none.contains("Fewer than 3 people voted") && !none.contains("figure\">"))
            let running = try await browser.get(team.sprintPath("2026/2")).text
            #expect(running.contains("still running") && !running.contains("figure\">"))
            expectPage(
                try await browser.get(team.sprintPath("2020/1")), 404, saying: "This sprint doesn’t exist in this team."
            )
            expectPage(try await browser.get("\(team.sprintPath("2026/1"))?after=x"), 400)
        }
    }

    @Test func `Feedback is for leads if the team wants it so`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9, settings: TeamSettings(feedbackReaders: .leads))
            try await app.importSprints([(2026, 1, 8, 9)], of: team, feedback: ["for leads"])
            let member = try await app.browser(of: team.members[1].user).get(team.sprintPath("2026/1")).text
            #expect(
                member.contains("In this team only team leads can read the feedback.") && !member.contains("for leads"))
            let lead = try await app.browser(of: team.lead.user).get(team.sprintPath("2026/1")).text
            #expect(lead.contains("for leads"))
        }
    }

    @Test func `A sprint without feedback says how long it is kept`() async throws {
        try await TestApp.with(settings: ["FEEDBACK_DAYS": "365"]) { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importSprints([(2026, 1, 8, 9)], of: team)
            let browser = try await app.browser(of: team.lead.user)
            expectPage(
                try await browser.get(team.sprintPath("2026/1")),
                saying: "There’s no feedback here. Feedback is deleted 365 days after the sprint.")
        }
    }

    @Test func `Long feedback is paged, each text once`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            let texts = (100..<170).map { "text \($0)" }
            try await app.importSprints([(2026, 1, 8, 9)], of: team, feedback: texts)
            let browser = try await app.browser(of: team.lead.user)
            var found: [String] = []
            var address: String? = team.sprintPath("2026/1")
            var pages = 0
            while let path = address, pages < 10 {
                let page = try await browser.get(path).text
                found += page.matches(of: /<p>(text \d{3})/).map { String($0.output.1) }
                let next = page.firstMatch(of: /href="([^"#]*after=[^"#]*)#feedback"/)
                address = next.map { String($0.output.1) }
                pages += 1
            }
            #expect(pages == 3)
            #expect(found.sorted() == texts)
        }
    }

    @Test(arguments: ["history", "sprints/2026/1"])
    func `A team's pages are for its members`(page: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 1)
            let path = "\(team.pagePath)/\(page)"
            let response = try await app.get(path)
            #expect(response.status == .seeOther && response.headers[.location]?.hasPrefix("/login?next=") == true)
            let stranger = try await app.browser(of: app.makeUser("eve"))
            expectPage(try await stranger.get(path), 404)
        }
    }
}

extension SignedInTeam {
    fileprivate var historyPath: String { "/teams/\(id)/history" }

    fileprivate func sprintPath(_ label: String) -> String { "/teams/\(id)/sprints/\(label)" }
}

extension TestApp {
    /// Imports results of another tool: lines of `sprint,start,end,happiness,votes,eligible`.
    func importHistory(_ lines: String, into team: SignedInTeam) async throws {
        let file = try HistoryFile("sprint,start,end,happiness,votes,eligible\n\(lines)")
        _ = try await HistoryImport(stores: stores, clock: clock.wall).add(file, to: team.id, replacing: false)
    }

    /// Imports a number of results that follow each other until the first Monday.
    /// - Returns: their labels, in order.
    func importFortnights(_ count: Int, into team: SignedInTeam) async throws -> [String] {
        let day = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
        let lines = (1...count).reversed().map { number in
            let start = TestTeam.firstMonday - Double(14 * number) * TestTeam.day
            return "\(start.formatted(day)),\((start + 13 * TestTeam.day).formatted(day)),7,6,9"
        }
        let file = try HistoryFile("start,end,happiness,votes,eligible\n\(lines.joined(separator: "\n"))")
        _ = try await HistoryImport(stores: stores, clock: clock.wall).add(file, to: team.id, replacing: false)
        return try await stores.sprints(of: team.id, matching: .all)
            .filter(\.sprint.isImported).map(\.sprint.label.description)
    }

    /// Adds closed sprints of nine members: year and number, the value of all votes, and their number.
    func importSprints(
        _ sprints: [(year: Int, number: Int, value: Int, votes: Int)], of team: SignedInTeam,
        policy: PublicationPolicy = .live, spread: Int = 0, feedback: [String] = []
    ) async throws {
        let settings = try #require(try await stores.team(team.id)).settings
        let spans = settings.calendar.spans(
            from: TestTeam.firstMonday - 800 * TestTeam.day, until: TestTeam.firstMonday + 14 * TestTeam.day, in: .gmt)
        let records = try sprints.map { sprint in
            let label = SprintLabel(year: sprint.year, number: sprint.number)
            let span = try #require(spans.first { $0.label == label })
            var state = PublicationState.initial
            for number in 0..<sprint.votes {
                // As many above as below.
                let away = number == 0 ? 0 : (number.isMultiple(of: 2) ? spread : -spread)
                state.count([try Happiness(tenths: (sprint.value + away) * 10)], policy: policy, threshold: 3)
            }
            state.close(policy: policy, threshold: 3)
            return SprintRecord(
                sprint: Sprint(
                    teamID: team.id, start: span.start, end: span.end, closes: span.end, label: label, threshold: 3,
                    policy: policy, feedbackReaders: settings.feedbackReaders),
                state: state, eligible: 9)
        }
        try await stores.importSprints(records)
        let last = try #require(records.last?.sprint.key)
        try await stores.importFeedback(
            try feedback.map { (key: last, text: try #require(try FeedbackText($0))) })
    }
}
