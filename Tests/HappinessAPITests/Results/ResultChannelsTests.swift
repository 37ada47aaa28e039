import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Mail
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI
@testable import Worker

/// Which part of a result can be read where, and by whom.
@Suite struct ResultChannelsTests {
    private enum Field: CaseIterable {
        case value
        case change
        case participation
        case shape
        case text
        case action
        case question

        /// What shows that a page or mail has this field.
        var signs: [String] {
            switch self {
            case .value: ["8.0"]
            case .change: ["Up by 3.0 (5.0 before)", "3.0 more than in the sprint before (5.0)"]
            case .participation: ["78% took part"]
            case .shape: ["Answers for each value from 0 to 10"]
            case .text: ["calm mornings"]
            case .action: ["Faster builds"]
            case .question: ["What went better this time"]
            }
        }
    }

    private static func fields(in text: String) -> Set<Field> {
        Set(Field.allCases.filter { field in field.signs.contains { text.contains($0) } })
    }

    /// A team of nine that shows feedback to its leads only: 5.0, then 8.0 with seven answers that are far enough apart.
    private static func team(in app: TestApp) async throws -> SignedInTeam {
        let team = try await app.makeTeam(members: 9, settings: TeamSettings(policy: .close, feedbackReaders: .leads))
        try await app.importSprints(
            [(2025, 26, 5, 9), (2026, 1, 8, 7)], of: team, policy: .close, spread: 2, feedback: ["calm mornings"])
        let sprint = ActionSprint(start: TestTeam.firstMonday, label: SprintLabel(year: 2026, number: 1))
        try await app.stores.insert(
            Action(
                teamID: team.id, content: ActionContent(title: "Faster builds"), state: .inProgress, made: sprint,
                began: sprint), at: .last)
        return team
    }

    /// All texts of the mail to a member.
    private static func mail(to user: User, of team: SignedInTeam, in app: TestApp) async throws -> String {
        let key = Sprint.Key(teamID: team.id, start: TestTeam.firstMonday)
        let sprints = SprintService(stores: app.stores, secret: TestTeam.secret, clock: app.clock.wall)
        let writer = ResultMailWriter(
            stores: app.stores,
            publications: PublicationService(
                stores: app.stores, sprints: sprints,
                memberships: MembershipCache(stores: app.stores, clock: app.clock.wall), secret: TestTeam.secret),
            catalog: try TextCatalog(resources: Repository.resources))
        let record = try #require(try await app.stores.sprint(key))
        let membership = try #require(try await app.stores.membership(of: user.id, in: team.id))
        let stored = try #require(try await app.stores.team(team.id))
        let result = try #require(try await writer.result(of: record, for: membership, in: stored, locale: "en"))
        let lists = result.summary + result.certainty + result.begunActions + result.feedback
        let sentences = [result.change, result.shape, result.moved, result.question].compactMap(\.self)
        return ([result.value] + sentences + lists).joined(separator: "\n")
    }

    @Test func `Each channel has the fields that its readers may see, and no other`() async throws {
        try await TestApp.with { app in
            let team = try await Self.team(in: app)
            let (lead, member) = (team.members[0].user, team.members[1].user)
            let response = try await app.send(.put, "\(team.path)/share-link", token: team.lead.token)
            let wall = try #require((response.object["page"] as? String).flatMap(URL.init)?.path)
            let chart = try #require((response.object["chart"] as? String).flatMap(URL.init)?.path)

            let all = Set(Field.allCases)
            let forMembers = all.subtracting([.text])
            let matrix: [(channel: String, shown: String, fields: Set<Field>)] = [
                ("home of a lead", try await app.browser(of: lead).get(team.pagePath).text, all),
                ("home of a member", try await app.browser(of: member).get(team.pagePath).text, forMembers),
                ("mail to a lead", try await Self.mail(to: lead, of: team, in: app), all),
                ("mail to a member", try await Self.mail(to: member, of: team, in: app), forMembers),
                ("wall screen", try await app.get("\(wall)?language=en").text, [.value, .change, .participation]),
                ("shared chart", try await app.get("\(chart)?language=en").text, [.value]),
            ]
            for (channel, shown, fields) in matrix {
                #expect(Self.fields(in: shown) == fields, "\(channel)")
            }
        }
    }

    /// Published results under `live`, whose running sprint shows nothing yet.
    @Test func `Until the next result, home shows the last one with its face, after the vote`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 9)
            try await app.importSprints([(2026, 1, 8, 9)], of: team)
            let page = try await app.browser(of: team.members[1].user).get(team.pagePath).text
            #expect(page.contains("Last result · 5–18\u{a0}January") && page.contains(#"data-happiness="8"#))
            #expect(!page.contains("No result yet") && !page.contains("asleep"))
            #expect(page.contains("after 6 votes, or at the end of the sprint if"), "when the next one appears")
            let vote = try #require(page.range(of: #"id="vote""#))
            let result = try #require(page.range(of: #"id="result""#))
            #expect(vote.lowerBound < result.lowerBound)
        }
    }
}
