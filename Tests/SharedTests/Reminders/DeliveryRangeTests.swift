import Crypto
import Domain
import Foundation
import Testing

@Suite struct DeliveryRangeTests {
    private typealias ID = Identifier<DeliveryRangeTests>

    @Test func `A bound lies between its neighbours and is neither`() {
        for _ in 0..<5_000 {
            let pair = [ID.random(), ID.random()].sorted()
            let bound = ID.boundary(between: pair[0], and: pair[1])
            #expect(pair[0] < bound && bound < pair[1])
        }
    }

    @Test(arguments: [
        ("00000000000000000000000000000000", "00000000000000000000000000000001"),
        ("0fffffffffffffffffffffffffffffff", "10000000000000000000000000000000"),
        ("abc00000000000000000000000000000", "abd00000000000000000000000000000"),
        ("abc00000000000000000000000000001", "abc00000000000000000000000000002"),
        ("00000000000000000000000000000000", "ffffffffffffffffffffffffffffffff"),
    ])
    func `A bound never passes over the next ID`(last: String, next: String) throws {
        let (last, next) = (try #require(ID(last)), try #require(ID(next)))
        let bound = ID.boundary(between: last, and: next)
        #expect(last <= bound && bound < next)
    }

    @Test func `Every ID has one range`() {
        let ids = (0..<400).map { _ in ID.random() }.sorted()
        let bounds = stride(from: 50, to: ids.count, by: 50).map { ID.boundary(between: ids[$0 - 1], and: ids[$0]) }
        let ranges = IdentifierRange.covering(splitAt: bounds)
        #expect(ranges.count == 8)
        for id in ids + (0..<400).map({ _ in ID.random() }) {
            #expect(ranges.count { $0.contains(id) } == 1)
        }
        #expect(IdentifierRange<Self>.covering(splitAt: []) == [IdentifierRange()])
    }

    @Test func `Sealed counts reveal nothing without the secret`() throws {
        let secret = BallotSecret(key: SymmetricKey(size: .bits256))
        let seal = CountsSeal(secret: secret)
        let key = DeliveryBatch.Key(deliveryID: .random(), number: 3)
        var counts = DeliveryCounts()
        (counts.accepted, counts.mailed, counts.removed, counts.refused, counts.failed) = (70_000, 1, 2, 3, 400)
        let sealed = try seal.seal(counts, for: key)
        #expect(seal.open(sealed, of: key) == counts)
        // Neither the length nor a repeated value reveals anything.
        let none = try seal.seal(DeliveryCounts(), for: key)
        #expect(none.bytes.count == sealed.bytes.count)
        #expect(try seal.seal(counts, for: key) != sealed)
        // Another installation, or another batch.
        #expect(CountsSeal(secret: BallotSecret(key: SymmetricKey(size: .bits256))).open(sealed, of: key) == nil)
        #expect(seal.open(sealed, of: DeliveryBatch.Key(deliveryID: key.deliveryID, number: 4)) == nil)
        #expect(seal.open(SealedCounts(bytes: []), of: key) == nil)
    }

    @Test func `A position in a list is read as it is printed`() throws {
        let position = Delivery.Position(day: try #require(CalendarDay("2026-11-20")), id: .random())
        #expect(Delivery.Position(position.description) == position)
        let id = position.id
        for text in ["", "2026-11-20", "2026-11-20.", "2026-11-20.x", ".\(id)", "\(position).", "x.\(id)"] {
            #expect(Delivery.Position(text) == nil)
        }
    }
}
