import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ports
import Services
import Storage
import Synchronization
import TestSupport
import Testing

@testable import HappinessAPI

/// The cost that anyone with a share link can cause.
@Suite struct SharedChartsTests {
    /// Draws almost nothing, and counts.
    private final class Pen: Sendable {
        let drawn = Mutex(0)

        func charts() throws -> SharedCharts {
            SharedCharts(
                texts: try TextCatalog(resources: Repository.resources), clock: WallClock { TestApp.now }
            ) { chart in
                self.drawn.withLock {
                    $0 += 1
                    return "<svg>\($0)</svg>"
                }
            }
        }
    }

    /// One sprint per month for three years.
    private static let history = SharedHistory(
        teamName: "Blue", zone: .gmt,
        points: (2024...2026).flatMap { year in
            (1...12).map { number in
                let start = TestTeam.firstMonday + Double((year - 2026) * 364 + number * 28) * TestTeam.day
                return HistoryPoint(
                    label: SprintLabel(year: year, number: number), start: start, end: start + 14 * TestTeam.day,
                    happiness: 7, votes: 3)
            }
        })

    @Test func `Every possible range is reduced to the years of the team`() async throws {
        let pen = Pen()
        let charts = try pen.charts()
        for first in 2000...2030 {
            for last in 2000...2030 {
                for number in [1, 2, 26] {
                    _ = await charts.chart(
                        of: Self.history,
                        matching: .range(
                            from: SprintLabel(year: first, number: number), through: SprintLabel(year: last, number: 9)),
                        appearance: .light, language: .english)
                }
            }
            _ = await charts.chart(of: Self.history, matching: .year(first), appearance: .light, language: .english)
        }
        _ = await charts.chart(of: Self.history, matching: .all, appearance: .light, language: .english)
        // Six ranges of three years, and the empty chart.
        #expect(pen.drawn.withLock { $0 } == 7)
    }

    @Test func `A hundred concurrent requests draw one chart`() async throws {
        let pen = Pen()
        let charts = try pen.charts()
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    _ = await charts.chart(of: Self.history, matching: .all, appearance: .dark, language: .german)
                }
            }
        }
        #expect(pen.drawn.withLock { $0 } == 1)
    }

    @Test func `A history that was read again is drawn again`() async throws {
        let pen = Pen()
        let charts = try pen.charts()
        for _ in 0..<2 {
            let history = SharedHistory(teamName: "Blue", zone: .gmt, points: Self.history.points)
            _ = await charts.chart(of: history, matching: .all, appearance: .auto, language: .english)
        }
        #expect(pen.drawn.withLock { $0 } == 2)
    }

    @Test func `The link shows whole years`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            _ = try await app.closedSprint(of: team)
            let link = try await app.shareLink(of: team)
            let all = try await app.get(link)
            #expect(all.text.contains("19\u{a0}Jan – 1\u{a0}Feb\u{a0}2026: "))
            #expect(try await app.get("\(link)?from=2026/9&to=2026/10").body == all.body)
            #expect(try await app.get("\(link)?year=2026").body == all.body)
            #expect(try await app.get("\(link)?year=2025").text.contains("\u{a0}2026: ") == false)
            #expect(try await app.get("\(link)?from=2026").status == .badRequest)
        }
    }
}
