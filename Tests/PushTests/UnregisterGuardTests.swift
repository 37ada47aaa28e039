import Testing

@testable import Push

@Suite struct UnregisterGuardTests {
    @Test func `Nothing is believed before a message was accepted`() {
        var trust = UnregisterGuard()
        let isBelieved = trust.spend(at: .zero)
        #expect(!isBelieved)
    }

    @Test func `As much is believed as was accepted, up to a limit`() {
        var trust = UnregisterGuard()
        for _ in 0..<3 { trust.earn(at: .zero) }
        let answers = (0..<5).map { _ in trust.spend(at: .zero) }
        #expect(answers == [true, true, true, false, false])
        for _ in 0..<1_000 { trust.earn(at: .zero) }
        let believed = (0..<100).count { _ in trust.spend(at: .zero) }
        #expect(believed == UnregisterGuard.maximum)
    }

    @Test func `A message accepted a minute ago proves nothing any more`() {
        var trust = UnregisterGuard()
        trust.earn(at: .zero)
        trust.earn(at: .seconds(10))
        var answers = [70, 71].map { trust.spend(at: .seconds($0)) }
        #expect(answers == [true, false])
        trust.earn(at: .seconds(200))
        answers = [200, 200].map { trust.spend(at: .seconds($0)) }
        #expect(answers == [true, false])
    }
}
