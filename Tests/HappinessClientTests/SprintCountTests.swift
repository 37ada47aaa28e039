import Foundation
import TestSupport
import Testing

@testable import HappinessClient

/// The list of a count, as the command reads it. The browser and a program in Python read the same one in
/// `Tests/Browser/test_count_list.py`.
@Suite struct SprintCountTests {
    private struct Vector {
        var list: [String: Any]
        let code: String
        let codeWithoutPapers: String

        init() throws {
            let text = try Repository.text("Tests/Browser/vectors/count.json")
            let vector = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            list = try #require(vector["count"] as? [String: Any])
            code = try #require(vector["code"] as? String)
            codeWithoutPapers = try #require(vector["codeWithoutPapers"] as? String)
        }

        var commitments: [String] {
            get { list["commitments"] as? [String] ?? [] }
            set { list["commitments"] = newValue }
        }

        var papers: [[String: String]] {
            get { (list["papers"] as? [String: Any])?["spent"] as? [[String: String]] ?? [] }
            set { list["papers"] = ["issued": 5, "spent": newValue] as [String: Any] }
        }

        /// The place of a paper with a signature.
        func signedPlace() throws -> Int {
            try #require(papers.firstIndex { $0["signature"] != nil })
        }

        func read(team: String = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f", sprint: String = "2026/23") throws -> SprintCount?
        {
            let bytes = try JSONSerialization.data(withJSONObject: list)
            return SprintCount(try JSONDecoder().decode(CountResponse.self, from: bytes), of: sprint, in: team)
        }
    }

    @Test func `A list is right, and has the code that other programs compute`() throws {
        var vector = try Vector()
        let count = try #require(try vector.read())
        #expect(count.isRight && count.hasValidSignatures && count.code == vector.code)
        let papers = try #require(count.papers)
        #expect(papers.isRight && papers.counted == 4 && papers.issued == 5 && papers.unsigned == 1)
        let own = try #require(vector.commitments.first.flatMap { Data(base64URL: $0) })
        #expect(count.contains(own) && !count.contains(Data(count: 33)))
        let spent = try #require(papers.spent.first?.hash)
        #expect(count.contains(spentPaper: spent) == true && count.contains(spentPaper: Data(count: 32)) == false)

        vector.list["papers"] = NSNull()
        vector.list["key"] = NSNull()
        let without = try #require(try vector.read())
        #expect(without.code == vector.codeWithoutPapers && without.contains(spentPaper: spent) == nil)
    }

    @Test func `Another value in any field is another code`() throws {
        let vector = try Vector()
        let place = try vector.signedPlace()
        let other = String(repeating: "A", count: 342)
        let changes: [(inout Vector) -> Void] = [
            { _ in },
            { $0.list["sum"] = 206 },
            { $0.list["members"] = 10 },
            { $0.list["randomness"] = String(repeating: "A", count: 43) },
            { $0.papers.removeLast() },
            { $0.papers[place]["signature"] = other },
            {
                $0.commitments.removeLast()
                $0.list["votes"] = 3
            },
        ]
        let codes = try changes.map { change in
            var changed = vector
            change(&changed)
            return try #require(try changed.read()).code
        }
        #expect(codes[0] == vector.code && Set(codes).count == changes.count)
    }

    @Test func `A list of another sprint or of another form is not read`() throws {
        let vector = try Vector()
        let place = try vector.signedPlace()
        #expect(try vector.read(team: String(repeating: "0", count: 32)) == nil)
        #expect(try vector.read(sprint: "2026/22") == nil)
        func expectUnread(_ name: String, _ change: (inout Vector) -> Void) throws {
            var changed = vector
            change(&changed)
            #expect(try changed.read() == nil, "\(name)")
        }
        try expectUnread("unsorted commitments") { $0.commitments.reverse() }
        try expectUnread("unsorted papers") { $0.papers.reverse() }
        try expectUnread("one commitment too few") { $0.commitments.removeLast() }
        try expectUnread("a short commitment") { $0.commitments[0] = "AAAA" }
        try expectUnread("short randomness") { $0.list["randomness"] = "AAAA" }
        try expectUnread("a negative number") { $0.list["sum"] = -1 }
        try expectUnread("a large number") { $0.list["members"] = 1 << 32 }
        try expectUnread("another key") { $0.list["key"] = "AAAA" }
        try expectUnread("papers without a key") { $0.list["key"] = NSNull() }
        try expectUnread("a short signature") { $0.papers[place]["signature"] = "AAAA" }
        try expectUnread("a paper alone") { $0.papers[place]["signature"] = nil }
    }

    @Test func `A forged signature and a paper that comes twice are noticed`() throws {
        let vector = try Vector()
        let place = try vector.signedPlace()
        var forged = vector
        forged.papers[place]["signature"] = String(repeating: "A", count: 342)
        #expect(try #require(try forged.read()).hasValidSignatures == false)
        var twice = vector
        twice.papers.insert(vector.papers[place], at: place)
        let count = try #require(try twice.read())
        #expect(count.hasValidSignatures && count.papers?.counted == 5 && count.papers?.isRight == false)
    }
}
