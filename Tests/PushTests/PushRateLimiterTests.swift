import Ports
import Testing

@testable import Push

@Suite struct PushRateLimiterTests {
    /// Send times of `count` requests that all arrive at `time`.
    private func places(_ count: Int, in pace: inout PushRateLimiter, at time: Duration = .zero) -> [Double] {
        (0..<count).map { _ in pace.reserve(at: time) / .seconds(1) }
    }

    private func count(_ places: [Double], in range: Range<Double>) -> Int {
        places.count { range.contains($0) }
    }

    @Test func `Without a ramp, the cap holds from the first request`() {
        var pace = PushRateLimiter(PushRate(requestsPerSecond: 100, ramp: .zero))
        let places = places(250, in: &pace)
        #expect(places.first == 0)
        #expect((99...101).contains(count(places, in: 0..<1)))
        #expect((99...101).contains(count(places, in: 1..<2)))
    }

    @Test func `A burst rises in a straight line to the cap and stays there`() {
        var pace = PushRateLimiter(PushRate(requestsPerSecond: 100, ramp: .seconds(60)))
        let places = places(4_000, in: &pace)
        // The mean rate of a second within the ramp equals the rate at its middle.
        for second in [1, 10, 30, 59] {
            let expected = 100 * (Double(second) + 0.5) / 60
            let found = Double(count(places, in: Double(second)..<Double(second + 1)))
            #expect(abs(found - expected) <= 1, "second \(second): \(found), not \(expected)")
        }
        #expect((2_998...3_002).contains(count(places, in: 0..<60)))
        for second in [60, 65, 69] {
            #expect((99...101).contains(count(places, in: Double(second)..<Double(second + 1))))
        }
        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func `Unused capacity is not carried over`() {
        var pace = PushRateLimiter(PushRate(requestsPerSecond: 10, ramp: .zero))
        _ = pace.reserve(at: .zero)
        let places = places(11, in: &pace, at: .seconds(30))
        #expect(places.first == 30)
        #expect(places.last.map { $0 >= 30.999 } == true)
    }

    @Test func `A minute without requests begins a new burst`() {
        var pace = PushRateLimiter(PushRate(requestsPerSecond: 100, ramp: .seconds(10)))
        let last = places(2_000, in: &pace).last ?? 0
        let soon = places(100, in: &pace, at: .seconds(last + 59))
        #expect(count(soon, in: 0..<(last + 60)) >= 99, "still at full rate")
        let later = places(100, in: &pace, at: .seconds(last + 59 + 1.1 + 60))
        let begin = later.first ?? 0
        #expect((4...6).contains(count(later, in: begin..<(begin + 1))), "from nothing again")
    }

    @Test func `A ramp shorter than the first step is left at once`() {
        var pace = PushRateLimiter(PushRate(requestsPerSecond: 1, ramp: .milliseconds(1)))
        let places = places(4, in: &pace)
        #expect(zip(places, places.dropFirst()).allSatisfy { (0.99...1.01).contains($1 - $0) })
    }
}
