import Crypto
import Domain
import Foundation
import TestSupport
import Testing

/// The text of the list of deletions.
@Suite struct DeletionListTests {
    private let secret = TestTeam.secret
    private let other = BallotSecret(key: SymmetricKey(size: .bits256))

    private func list() throws -> DeletionList {
        let day = try #require(CalendarDay("2026-11-20"))
        let subjects: [Deletion.Subject] = [.account(.random()), .team(.random()), .picture(.random())]
        let deletions = subjects.map { Deletion(of: $0, on: day, secret: secret) }
        return DeletionList(
            days: Dictionary(uniqueKeysWithValues: deletions.map { ($0.hash, $0.day) }),
            day: try #require(CalendarDay("2026-11-21")), since: CalendarDay("2025-12-01"))
    }

    @Test func `A list is read as it was written`() throws {
        var list = try list()
        #expect(try DeletionList(list.encoded(secret: secret), secret: secret) == list)
        list.days = [:]
        list.since = nil
        #expect(try DeletionList(list.encoded(secret: secret), secret: secret) == list)
    }

    @Test func `The hash needs the secret, and says neither which kind nor which id`() throws {
        let id = User.ID.random()
        let hash = Deletion.hash(of: .account(id), secret: secret)
        #expect(hash.count == Deletion.hashLength)
        #expect(hash == Deletion.hash(of: .account(id), secret: secret))
        #expect(hash != Deletion.hash(of: .account(id), secret: other))
        let team = try #require(Team.ID(id.description))
        #expect(hash != Deletion.hash(of: .team(team), secret: secret))
        let list = DeletionList(days: [hash: try #require(CalendarDay("2026-11-20"))], day: try list().day)
        #expect(!String(decoding: list.encoded(secret: secret), as: UTF8.self).contains(id.description))
    }

    @Test func `Each flipped bit is noticed`() throws {
        let bytes = try list().encoded(secret: secret)
        for place in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[place] ^= 1 << bit
                #expect(throws: DeletionList.Problem.self, "byte \(place), bit \(bit)") {
                    try DeletionList(flipped, secret: secret)
                }
            }
        }
    }

    @Test func `A list that was cut off, or lost or got a line, is noticed`() throws {
        let bytes = try list().encoded(secret: secret)
        for length in 0..<bytes.count {
            let start = Array(bytes.prefix(length))
            #expect(throws: DeletionList.Problem.damaged) { try DeletionList(start, secret: secret) }
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 8)
        for line in 4..<7 {
            var shorter = lines
            shorter.remove(at: line)
            var longer = lines
            longer.insert("\(String(repeating: "0", count: 32)) 2026-11-20", at: line)
            for changed in [shorter, longer] {
                let text = changed.map { "\($0)\n" }.joined()
                #expect(throws: DeletionList.Problem.damaged) { try DeletionList(Array(text.utf8), secret: secret) }
            }
        }
    }

    @Test func `A list of another secret is recognised as such`() throws {
        let bytes = try list().encoded(secret: other)
        #expect(throws: DeletionList.Problem.otherSecret) { try DeletionList(bytes, secret: secret) }
    }
}
