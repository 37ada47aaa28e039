import Domain
import TestSupport
import Testing

/// The list of members whose mail is not settled, as a store keeps it.
@Suite struct PendingSealTests {
    private let seal = PendingSeal(secret: TestTeam.secret)
    private let key = DeliveryBatch.Key(deliveryID: .random(), number: 3)

    @Test(arguments: [0, 1, 16, PendingSeal.capacity])
    func `The members are read as they were written, and neither they nor their number show`(count: Int) throws {
        let members = (0..<count).map { _ in User.ID.random() }
        let sealed = try seal.seal(members, for: key)
        #expect(seal.open(sealed, of: key) == members)
        #expect(try sealed.bytes.count == seal.seal([], for: key).bytes.count)
        #expect(try seal.seal(members, for: key) != sealed)
    }

    @Test func `Another batch and other bytes are not read`() throws {
        let sealed = try seal.seal([.random()], for: key)
        #expect(seal.open(sealed, of: .init(deliveryID: key.deliveryID, number: 4)) == nil)
        #expect(seal.open(SealedPending(bytes: sealed.bytes.reversed()), of: key) == nil)
        #expect(seal.open(SealedPending(bytes: []), of: key) == nil)
    }
}
