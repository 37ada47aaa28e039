import Testing

@testable import Push

@Suite struct PushBackoffTests {
    @Test(arguments: [0, 0.5, 0.999])
    func `No wait is shorter than ten seconds, and each may be twice the last`(random: Double) {
        for attempt in 1...12 {
            let wait = PushBackoff.delay(afterAttempt: attempt, retryAfter: nil, random: random)
            #expect(wait >= .seconds(10))
            #expect(wait <= .seconds(10) * (1 << (attempt - 1)))
            #expect(wait <= .seconds(300))
        }
        #expect(PushBackoff.delay(afterAttempt: 3, retryAfter: nil, random: 0) == .seconds(20))
        #expect(PushBackoff.delay(afterAttempt: 12, retryAfter: nil, random: 0) == .seconds(150))
    }

    @Test func `A Retry-After is the minimum`() {
        #expect(PushBackoff.delay(afterAttempt: 1, retryAfter: .seconds(60), random: 0) == .seconds(60))
        #expect(PushBackoff.delay(afterAttempt: 1, retryAfter: .seconds(60), random: 0.5) == .seconds(65))
        #expect(PushBackoff.delay(afterAttempt: 1, retryAfter: .seconds(3), random: 0) == .seconds(10))
        #expect(PushBackoff.delay(afterAttempt: 1, retryAfter: .seconds(-3), random: 0) == .seconds(10))
    }
}
