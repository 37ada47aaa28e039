import Domain
import Foundation
import Ports
import Storage
import TestSupport
import Testing

@testable import Services

/// What an export holds, on both stores.
@Suite struct InstallationExportTests {
    private func export(
        of stores: Stores, withFeedback: Bool = false
    ) async throws -> (json: [String: Any], text: String, count: InstallationExport.Count) {
        var bytes = Data()
        let count = try await InstallationExport(stores: stores, secret: TestTeam.secret, clock: .system)
            .write(withFeedback: withFeedback) { bytes.append($0) }
        let json = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        return (json, String(decoding: bytes, as: UTF8.self), count)
    }

    /// A team of five: four voted 6 with a text in a sprint that is over, and two voted 1 in the running one.
    private func votedTeam(
        in stores: Stores, readers: Team.FeedbackReaders = .team
    ) async throws -> TestTeam {
        let team = try await TestTeam.make(
            in: stores, members: 5, settings: TeamSettings(feedbackReaders: readers))
        let clock = SettableClock(TestTeam.firstMonday)
        let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: clock.wall)
        for (tenths, votes) in [(60, 4), (10, 2)] {
            let sprint = try await sprints.runningSprint(of: team.team.id)
            let box = BallotBox(store: stores.ballots, partitions: 1, clock: clock.wall)
            for member in team.members.prefix(votes) {
                let text = try FeedbackText("Text about \(tenths)")
                _ = try await box.cast(team.ballot(of: member, in: sprint.key, tenths: tenths, feedback: text))
            }
            box.close()
            if votes == 4 { clock.advance(by: 14 * TestTeam.day) }
        }
        _ = try await sprints.runningSprint(of: team.team.id)
        return team
    }

    @Test(arguments: StoreUnderTest.all)
    func `It holds results of sprints that are over, and nothing of the running one`(kind: StoreUnderTest) async throws
    {
        try await kind.withStores { stores in
            let team = try await votedTeam(in: stores)
            let (json, text, count) = try await export(of: stores)
            #expect(count == InstallationExport.Count(users: 5, teams: 1))
            let exported = try #require((json["teams"] as? [[String: Any]])?.first)
            let results = try #require(exported["results"] as? [[String: Any]])
            #expect(results.count == 1)
            let result = try #require(results.first)
            #expect(result["happiness"] as? Double == 6 && result["votes"] as? Int == 4)
            #expect(result["start"] as? String == "2026-01-05" && result["end"] as? String == "2026-01-18")
            #expect((exported["members"] as? [[String: Any]])?.count == 5)
            #expect(!text.contains("Text about"))
            for member in team.members { #expect(text.contains(member.userID.description)) }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Texts are in it if asked for, except those of the running sprint`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            _ = try await votedTeam(in: stores)
            let text = try await export(of: stores, withFeedback: true).text
            #expect(text.contains("Text about 60") && !text.contains("Text about 10"))
        }
    }

    @Test func `Texts for leads alone are never in it`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            _ = try await votedTeam(in: stores, readers: .leads)
            #expect(try await !export(of: stores, withFeedback: true).text.contains("Text about"))
        }
        // Nor if the rule became stricter after they were written.
        try await StoreUnderTest.sqlite.withStores { stores in
            let team = try await votedTeam(in: stores)
            _ = try await TeamService(stores: stores, secret: TestTeam.secret).changeSettings(
                of: team.team.id, TeamSettingsChange(feedbackReaders: .leads), by: .operator)
            #expect(try await !export(of: stores, withFeedback: true).text.contains("Text about"))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Its results can be imported by another installation`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            _ = try await votedTeam(in: stores)
            let teams = try await export(of: stores).json["teams"] as? [[String: Any]]
            let results = try JSONSerialization.data(withJSONObject: #require(teams?.first?["results"]))
            try await kind.withStores { other in
                let team = try await TestTeam.make(in: other, members: 3)
                let file = try HistoryFile(String(decoding: results, as: UTF8.self))
                let clock = WallClock { TestTeam.firstMonday + 15 * TestTeam.day }
                let history = HistoryImport(stores: other, clock: clock)
                #expect(try await history.add(file, to: team.team.id, replacing: false) == 0)
                let record = try #require(try await other.latestSprint(of: team.team.id))
                #expect(record.state.published.happiness == 6 && record.eligible == 5 && record.sprint.isImported)
            }
        }
    }

    @Test func `More people than one read returns are all in it, once`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            _ = try await TestTeam.make(in: stores, members: 401)
            let (json, _, count) = try await export(of: stores)
            let ids = (json["users"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            #expect(ids.count == 401 && Set(ids).count == 401 && count.users == 401)
        }
    }

    @Test func `An empty installation is a valid file`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let json = try await export(of: stores).json
            #expect((json["users"] as? [Any])?.isEmpty == true && (json["teams"] as? [Any])?.isEmpty == true)
        }
    }
}
