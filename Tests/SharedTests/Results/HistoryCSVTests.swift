import Domain
import Foundation
import Testing

@Suite struct HistoryCSVTests {
    private let vienna = TimeZone(identifier: "Europe/Vienna") ?? .gmt
    private let header = "sprint,start,end,happiness,votes,eligible,d0,d1,d2,d3,d4,d5,d6,d7,d8,d9,d10,imported\r\n"

    private func point(
        label: SprintLabel = SprintLabel(year: 2026, number: 1), happiness: Double = 7.5, eligible: Int? = nil,
        isImported: Bool = false, distribution: [Int]? = nil,
    ) throws -> HistoryPoint {
        HistoryPoint(
            label: label, start: try SprintTestData.instant("2026-01-04T23:00:00Z"),
            end: try SprintTestData.instant("2026-01-18T23:00:00Z"), happiness: happiness, votes: 6, eligible: eligible,
            isImported: isImported, distribution: distribution)
    }

    @Test func `Without points there is only the header`() {
        #expect(HistoryCSV.text(points: [], zone: .gmt) == header)
    }

    @Test func `A point is a line with its days and known values`() throws {
        let full = try point(eligible: 8, distribution: [1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 3])
        let bare = try point(happiness: 20.0 / 3)
        #expect(
            HistoryCSV.text(points: [full, bare], zone: vienna) == header
                + "2026/1,2026-01-05,2026-01-18,7.5,6,8,1,0,0,0,0,0,0,2,0,0,3,false\r\n"
                + "2026/1,2026-01-05,2026-01-18,6.666666666666667,6,,,,,,,,,,,,,false\r\n")
    }

    @Test func `The last column marks what another tool counted`() throws {
        let text = HistoryCSV.text(points: [try point(eligible: 8, isImported: true)], zone: vienna)
        #expect(text == header + "2026/1,2026-01-05,2026-01-18,7.5,6,8,,,,,,,,,,,,true\r\n")
    }

    @Test(arguments: [
        ("Europe/Vienna", "2026-01-05,2026-01-18"), ("America/New_York", "2026-01-04,2026-01-17"),
        ("Pacific/Auckland", "2026-01-05,2026-01-18"),
    ])
    func `The first and the last day are those of the time zone`(name: String, days: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        #expect(HistoryCSV.text(points: [try point()], zone: zone).contains("2026/1,\(days),7.5"))
    }

    @Test func `Every line has eighteen fields, whatever the point contains`() throws {
        let points = [
            try point(distribution: [1, 2]), try point(happiness: .nan), try point(distribution: []), try point(),
        ]
        for line in HistoryCSV.text(points: points, zone: .gmt).split(separator: "\r\n") {
            #expect(line.count { $0 == "," } == 17)
        }
    }

    @Test func `A spreadsheet gets what its language shows, and no empty column`() throws {
        let points = [try point(happiness: 20.0 / 3, eligible: 8), try point(happiness: 7, eligible: 8)]
        #expect(
            HistoryCSV.spreadsheet(points: points, zone: vienna, decimalSign: ",")
                == "\u{FEFF}sprint;start;end;happiness;votes;eligible;imported\r\n"
                + "Sprint 2026/1;2026-01-05;2026-01-18;6,67;6;8;false\r\n"
                + "Sprint 2026/1;2026-01-05;2026-01-18;7,0;6;8;false\r\n")
        let full = try point(distribution: [1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 3])
        #expect(
            HistoryCSV.spreadsheet(points: [full], zone: vienna, decimalSign: ".")
                == "\u{FEFF}sprint,start,end,happiness,votes,d0,d1,d2,d3,d4,d5,d6,d7,d8,d9,d10,imported\r\n"
                + "Sprint 2026/1,2026-01-05,2026-01-18,7.5,6,1,0,0,0,0,0,0,2,0,0,3,false\r\n")
        #expect(HistoryCSV.spreadsheet(points: [], zone: .gmt, decimalSign: ".") == "\u{FEFF}" + header)
        let hostile = try point(label: SprintLabel(year: 1, number: 1, suffix: ";=x"))
        let text = HistoryCSV.spreadsheet(points: [hostile], zone: .gmt, decimalSign: ",")
        #expect(text.contains("\r\n\"Sprint 1/1;=x\";"))
    }

    @Test(arguments: [
        (SprintLabel(year: -1, number: 1), "'-1/1,"),
        (SprintLabel(year: 1, number: 1, suffix: ",\"\r\n=x"), "\"1/1,\"\"\r\n=x\","),
        (SprintLabel(year: 1, number: 1, suffix: "\r\n"), "\"1/1\r\n\","),
    ])
    func `A label created in code is no formula and breaks no line`(label: SprintLabel, beginning: String) throws {
        let text = HistoryCSV.text(points: [try point(label: label)], zone: .gmt)
        #expect(text.hasPrefix(header + beginning))
    }
}
