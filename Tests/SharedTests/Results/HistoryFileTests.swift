import Domain
import Foundation
import Testing

/// Files with results of other tools.
@Suite struct HistoryFileTests {
    private static let header = "sprint,start,end,happiness,votes,eligible\n"

    @Test func `The history that this product exports can be read again`() throws {
        let start = Date(timeIntervalSince1970: 1_767_571_200)
        let point = HistoryPoint(
            label: SprintLabel(year: 2026, number: 1), start: start, end: start + 14 * 86_400,
            happiness: 22.0 / 3, votes: 3, eligible: 5, distribution: [0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0])
        let result = try #require(try HistoryFile(HistoryCSV.text(points: [point], zone: .gmt)).results.first)
        #expect(result.label == point.label)
        #expect("\(result.days.lowerBound)…\(result.days.upperBound)" == "2026-01-05…2026-01-18")
        #expect(result.sumInTenths == 220 && result.votes == 3 && result.eligible == 5)
    }

    @Test func `Semicolons, decimal commas, a byte order mark and further columns are read`() throws {
        let file = try HistoryFile(
            "\u{FEFF}Team;Start;End;Happiness;Votes;Eligible\r\nBlue;2025-02-01;2025-02-28;7,5;4;9\r\n\r\n")
        let result = try #require(file.results.first)
        #expect(file.results.count == 1 && result.place == "Line 2" && result.label == nil)
        #expect(result.sumInTenths == 300 && result.votes == 4 && result.eligible == 9)
    }

    /// Files of spreadsheets, with 6 to 19 January and 20 January to 2 February 2025.
    @Test(arguments: [
        "start;end;happiness;votes;eligible\r\n06.01.2025;19.01.2025;7,5;4;9\r\n20.01.2025;02.02.2025;8;4;9\r\n",
        "start;end;happiness;votes;eligible;\r\n6.1.2025;19. 1. 2025;7,5;4;9;\r\n20.1.2025;2.2.2025;8;4;9;\r\n",
        "start,end,happiness,votes,eligible\r\n1/6/2025,1/19/2025,7.5,4,9\r\n1/20/2025,2/2/2025,8.0,4,9\r\n",
        "start,end,happiness,votes,eligible\r\n06/01/2025,19/01/2025,7.5,4,9\r\n20/01/2025,02/02/2025,8,4,9\r\n",
        "start,end,happiness,votes,eligible\n06-01-2025,19-01-2025,\"7,5\",4,9\n20-01-2025,02-02-2025,8,4,9\n",
        "start\tend\thappiness\tvotes\teligible\n2025/01/06\t2025/1/19\t7,5\t4\t9\n"
            + "2025/1/20\t2025/2/2\t8\t4\t9\n",
        "sep=;\r\nstart;end;happiness;votes;eligible\r\n1/6/2025;1/19/2025;7,5;4;9\r\n1/20/2025;2/2/2025;8;4;9\r\n",
    ])
    func `A German or American spreadsheet is read`(text: String) throws {
        let results = try HistoryFile(text).results
        #expect(
            results.map { "\($0.days.lowerBound) \($0.days.upperBound) \($0.sumInTenths)" }
                == ["2025-01-06 2025-01-19 300", "2025-01-20 2025-02-02 320"])
    }

    /// No day is above 12, but in the other order each of these files has a result that ends before it begins, or
    /// lasts longer than a year.
    @Test(arguments: [
        ("2/12/2025,3/10/2025", "2025-02-12"), ("10/3/2025,12/2/2025", "2025-10-03"),
        ("3/3/2025,4/4/2025", "2025-03-03"),
        ("1/12/2025,5/1/2026", "2025-12-01"),
    ])
    func `The order of day and month follows from the file`(days: String, start: String) throws {
        let result = try #require(try HistoryFile("start,end,happiness,votes,eligible\n\(days),7,4,9").results.first)
        #expect("\(result.days.lowerBound)" == start)
    }

    @Test(arguments: [",", "."], [1, 2, 7, 9, 12, 99, 101])
    func `What a spreadsheet gets can be read again with the same sum`(sign: String, votes: Int) throws {
        let start = Date(timeIntervalSince1970: 1_767_571_200)
        let sums = Array(stride(from: 0, through: votes * 100, by: max(1, votes / 2)))
        let points = sums.prefix(HistoryFile.maximumResults).map { sum in
            HistoryPoint(
                label: SprintLabel(year: 2026, number: 1), start: start, end: start + 14 * 86_400,
                happiness: Double(sum) / Double(votes * 10), votes: votes, eligible: votes + 1)
        }
        let file = try HistoryFile(HistoryCSV.spreadsheet(points: points, zone: .gmt, decimalSign: sign))
        #expect(file.results.map(\.sumInTenths) == Array(sums.prefix(HistoryFile.maximumResults)))
        #expect(file.results.allSatisfy { $0.label == points[0].label && $0.votes == votes })
    }

    @Test func `JSON has the same names`() throws {
        let file = try HistoryFile(
            """
            [{"start": "2025-02-01", "end": "2025-02-28", "happiness": 7.1, "votes": 4, "eligible": 9},
             {"sprint": "2025/3b", "start": "2025-03-01", "end": "2025-03-01", "happiness": 0, "votes": 1,
              "eligible": 1, "team": "Blue"}]
            """)
        #expect(file.results.map(\.sumInTenths) == [284, 0])
        #expect(file.results.map(\.label?.description) == [nil, "2025/3b"])
    }

    @Test(
        arguments: [("1-5", "1", 0), ("1-5", "5", 100), ("1-5", "3.5", 63), ("0-100", "74", 74), ("5-1", "1", 100)]
            as [(String, String, Int)])
    func `Values of another scale become 0 to 10`(scale: String, value: String, tenths: Int) throws {
        let line = Self.header + ",2025-02-01,2025-02-28,\(value),1,1"
        let file = try HistoryFile(line, scale: try #require(HappinessScale(scale)))
        #expect(file.results.map(\.sumInTenths) == [tenths])
    }

    @Test(arguments: ["1", "1-1", "a-5", "1-", "-1-5", "1-2-3", "1-nan", "0-inf", ""])
    func `What is not a scale is refused`(text: String) {
        #expect(HappinessScale(text) == nil)
    }

    /// Files, and what is said about them.
    private static let unreadable: [(text: String, reason: String)] = [
        ("", "contains no results"), ("[]", "contains no results"), (header, "contains no results"),
        ("start,end,votes\n2025-02-01,2025-02-28,3", "must name the columns"),
        ("start,start,end,happiness,votes,eligible\n", "must name the columns"),
        ("\(header),2025-02-01,2025-02-28,7,,9", "Line 2 has no votes"),
        ("\(header),2025-02-01,2025-02-28,7", "Line 2 has no votes"),
        ("\(header),2025-02-30,2025-02-28,7,4,9", "Line 2: start must be a day"),
        ("\(header),2025-02-01,30.02.2025,7,4,9", "Line 2: end must be a day"),
        ("\(header),1.2.25,28.2.25,7,4,9", "Line 2: start must be a day"),
        ("\(header),1/6/2025,12/6/2025,7,4,9", "Line 2: start “1/6/2025” may have the day or the month first"),
        ("\(header),2025-01-06,1/8/2025,7,4,9", "Line 2: end “1/8/2025” may have the day or the month first"),
        (
            "\(header),13/1/2025,19/1/2025,7,4,9\n,1/20/2025,1/26/2025,7,4,9",
            "Line 2: start “13/1/2025” has the day first, and Line 3: start “1/20/2025” the month"
        ),
        ("\(header),2025-02-01,2025-02-28,7,5,9,", "Line 2 has more than 6 fields. Numbers such as 7,5"),
        ("\(header)Jan 26,2025-02-01,2025-02-28,7,4,9", "Line 2: sprint: “Jan 26” isn’t a sprint’s name"),
        ("\(header),2025-02-28,2025-02-01,7,4,9", "Line 2 ends before it begins"),
        ("\(header),2025-02-01,2025-02-28,10.1,4,9", "from 0 to 10, but is “10.1”"),
        ("\(header),2025-02-01,2025-02-28,nan,4,9", "from 0 to 10"),
        ("\(header),2025-02-01,2025-02-28,good,4,9", "from 0 to 10"),
        ("\(header),2025-02-01,2025-02-28,7,10,9", "more votes than people"),
        ("\(header),2025-02-01,2025-02-28,7,0,9", "votes must be a whole number from 1"),
        ("\(header),2025-02-01,2025-02-28,7,4,9000000000000000000", "eligible must be a whole number"),
        ("\(header)Sprint 3,2025-02-01,2025-02-28,7,4,9", "isn’t a sprint’s name"),
        ("\(header)\"2025/3", "quotation mark"),
        ("\(header),1925-02-01,1925-02-28,7,4,9", "Line 2 must begin in the year 2000 or later"),
        ("\(header),2024-02-01,2025-02-01,7,4,9", "last at most 366 days"),
        ("\(header)2023/3,2025-02-01,2025-02-28,7,4,9", "the name 2023/3 doesn’t fit the day 2025-02-01"),
        ("\(header)2025/0,2025-02-01,2025-02-28,7,4,9", "the name 2025/0 doesn’t fit"),
        (#"{"teams": []}"#, "such as the results of one team in an export"),
        (#"[{"start": 3}]"#, "must be a JSON array"),
        (#"[{"start": "2025-02-01", "end": "2025-02-02", "votes": 1, "eligible": 1}]"#, "Entry 1 has no happiness"),
        (header + String(repeating: ",2025-02-01,2025-02-28,7,4,9\n", count: 521), "more than 520"),
    ]

    @Test func `An error shows nothing that controls a terminal or fills a screen`() throws {
        let text = "\u{1B}[31m\u{202E}" + String(repeating: "a\u{0301}", count: 500)
        let file = "\(Self.header),\(text),2025-02-28,7,4,9"
        let error = try #require(throws: AppError.self) { try HistoryFile(file) }
        #expect(!error.message.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
        #expect(error.message.unicodeScalars.count < 120)
    }

    @Test(arguments: unreadable)
    func `A file that cannot be read says where and why`(file: (text: String, reason: String)) throws {
        let error = try #require(throws: AppError.self) { try HistoryFile(file.text) }
        #expect(error.message.contains(file.reason))
    }
}
