import Domain
import Testing

@Suite struct JobsRetryPolicyTests {
    private let policy = RetryPolicy(base: .seconds(5), cap: .seconds(900))

    @Test func `The upper bound doubles up to the cap`() {
        let ceilings = (1...10).map { policy.ceiling(attempt: $0) }
        let seconds = [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]
        #expect(ceilings == seconds.map { Duration.seconds($0) })
    }

    @Test func `No wait is below the minimum or above its upper bound`() {
        var generator = SystemRandomNumberGenerator()
        for attempt in [-1, 0, 1, 2, 3, 5, 8, 60, 64, 1_000, Int.max] {
            for _ in 0..<100 {
                let random = Double.random(in: 0..<1, using: &generator)
                let delay = policy.delay(afterAttempt: attempt, random: random)
                #expect(delay >= RetryPolicy.minimum, "attempt \(attempt), random \(random)")
                #expect(delay <= policy.ceiling(attempt: attempt), "attempt \(attempt), random \(random)")
            }
        }
    }

    @Test func `The jitter is full`() {
        #expect(policy.delay(afterAttempt: 3, random: 0.5) == .seconds(10))
        #expect(policy.delay(afterAttempt: 3, random: 0) == RetryPolicy.minimum)
    }

    @Test func `No wait is shorter than Retry-After`() {
        for seconds in [0, 1, 30, 3_600] {
            for random in [0, 0.25, 0.999] {
                let delay = policy.delay(afterAttempt: 2, retryAfter: .seconds(seconds), random: random)
                #expect(delay >= .seconds(seconds))
                #expect(delay <= .seconds(seconds) + policy.ceiling(attempt: 2))
            }
        }
    }

    @Test func `An absurd Retry-After is cut to a day`() {
        let delay = policy.delay(afterAttempt: 1, retryAfter: .seconds(Int64.max / 2), random: 0)
        #expect(delay == .seconds(86_400) + RetryPolicy.minimum)
        #expect(policy.delay(afterAttempt: 1, retryAfter: .seconds(-5), random: 0) == RetryPolicy.minimum)
        #expect(RetryPolicy.honoured(.seconds(Int64.max)) == .seconds(86_400))
    }

    @Test func `While somebody waits, a wait may be as short as the jitter`() {
        let policy = RetryPolicy(base: .milliseconds(200), cap: .seconds(2), floor: .zero)
        #expect(policy.delay(afterAttempt: 1, random: 0) == .zero)
        #expect(policy.delay(afterAttempt: 3, random: 0.5) == .milliseconds(400))
        #expect(policy.delay(afterAttempt: 50, random: 0.5) == .seconds(1))
    }

    @Test func `A policy below the minimum is raised to it`() {
        let policy = RetryPolicy(base: .zero, cap: .zero)
        #expect(policy.delay(afterAttempt: 9, random: 0.9) == RetryPolicy.minimum)
    }
}
