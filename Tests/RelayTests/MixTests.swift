import Foundation
import Logging
import ServiceLifecycleTestKit
import Synchronization
import Testing

@testable import Relay

@Suite struct MixTests {
    /// Of the mixes that are not to ring.
    private static let settings = MixSettings(count: 1_000, interval: .seconds(3_600))

    @Test func `Ballots are sent once enough of them wait, in an order that does not tell which came first`()
        async throws
    {
        let gateway = RecordingGateway()
        let mix = Self.mix(gateway, count: 20)
        try await Self.running(mix) {
            for number in 0..<19 { try await mix.add([UInt8(number)], ticket: Self.ticket(number)) }
            #expect(gateway.messages.isEmpty)
            try await mix.add([19], ticket: Self.ticket(19))
            try await gateway.receives(20)
        }
        #expect(gateway.messages.map { $0[0] }.sorted() == Array(0..<20))
        // One in 20! orders is this one.
        #expect(gateway.messages.map { $0[0] } != Array(0..<20))
    }

    /// They see when each paper was signed, so in which order the ballots were probably handed over, and each arrival.
    @Test func `An observer of all signatures and arrivals links one ballot in the size of the mix`() async throws {
        let (mixes, size) = (2_000, 5)
        let gateway = RecordingGateway()
        let mix = Self.mix(gateway, count: size)
        for number in 0..<mixes {
            for ballot in 0..<size { try await mix.add([UInt8(ballot)], ticket: Self.ticket(number * size + ballot)) }
            await mix.sendAll()
        }
        let arrivals = gateway.messages.map { Int($0[0]) }
        #expect(arrivals.count == mixes * size)
        #expect(Self.links(arrivals, size: size) == [])
        // What the test must find: no shuffle, and one that only swaps neighbours.
        let inOrder = (0..<mixes).flatMap { _ in 0..<size }
        #expect(Self.links(inOrder, size: size).count == size * size)
        let swapped = (0..<mixes).flatMap { _ in Bool.random() ? [1, 0, 2, 3, 4] : [0, 2, 1, 4, 3] }
        #expect(!Self.links(swapped, size: size).isEmpty)
    }

    /// Pairs of places, handed over and arrived, that are more or less frequent than chance explains: by more than five
    /// standard deviations.
    private static func links(_ arrivals: [Int], size: Int) -> [[Int]] {
        let mixes = Double(arrivals.count / size)
        let chance = 1 / Double(size)
        let deviation = (mixes * chance * (1 - chance)).squareRoot()
        var counts: [[Int]: Int] = [:]
        for (place, ballot) in arrivals.enumerated() { counts[[ballot, place % size], default: 0] += 1 }
        return (0..<size).flatMap { ballot in (0..<size).map { [ballot, $0] } }.filter {
            abs(Double(counts[$0, default: 0]) - mixes * chance) > 5 * deviation
        }
    }

    @Test func `At the end of an interval even one ballot is sent`() async throws {
        let gateway = RecordingGateway()
        let mix = Self.mix(gateway, count: 5, interval: .milliseconds(50))
        try await Self.running(mix) {
            try await mix.add([1], ticket: Self.ticket(1))
            try await gateway.receives(1)
        }
    }

    @Test func `A ballot whose sprint is about to close takes the others with it`() async throws {
        let gateway = RecordingGateway()
        let mix = Self.mix(gateway, count: 5)
        try await Self.running(mix) {
            try await mix.add([1], ticket: Self.ticket(1), before: .now + 7 * 86_400)
            try await mix.add([2], ticket: Self.ticket(2))
            #expect(gateway.messages.isEmpty)
            try await mix.add([3], ticket: Self.ticket(3), before: .now + MixSettings.margin + 0.05)
            try await gateway.receives(3)
            // The first one's alarm went with them.
            try await mix.add([4], ticket: Self.ticket(4), before: .now + 7 * 86_400)
            #expect(try await mix.state(of: Self.ticket(4)) == .waiting)
            // Too late for certain, but only the gateway knows.
            try await mix.add([5], ticket: Self.ticket(5), before: .distantPast)
            try await gateway.receives(2)
        }
        #expect(gateway.messages.count == 5)
    }

    @Test func `What waits is sent when the relay is told to stop`() async throws {
        let gateway = RecordingGateway()
        let mix = Self.mix(gateway, count: 5)
        try await Self.running(mix) {
            for number in 0..<3 { try await mix.add([UInt8(number)], ticket: Self.ticket(number)) }
        }
        #expect(gateway.messages.count == 3)
        for number in 0..<3 { #expect(try await mix.state(of: Self.ticket(number)) == .answered(gateway.answer)) }
    }

    @Test func `The same ticket again changes nothing`() async throws {
        let gateway = RecordingGateway()
        let mix = Self.mix(gateway, count: 5)
        for _ in 0..<6 { try await mix.add([1], ticket: Self.ticket(1)) }
        #expect(try await mix.state(of: Self.ticket(1)) == .waiting)
        await mix.sendAll()
        try await mix.add([1], ticket: Self.ticket(1))
        await mix.sendAll()
        #expect(gateway.messages == [[1]])
    }

    @Test(arguments: [nil, 429, 500, 503])
    func `A ballot waits while the gateway is away`(status: Int?) async throws {
        let gateway = RecordingGateway()
        let mix = Self.mix(gateway, count: 2)
        gateway.status.withLock { $0 = status }
        try await mix.add([1], ticket: Self.ticket(1))
        await mix.sendAll()
        #expect(try await mix.state(of: Self.ticket(1)) == .waiting)
        #expect(await !mix.reachesGateway)
        gateway.status.withLock { $0 = 200 }
        await mix.sendAll()
        #expect(try await mix.state(of: Self.ticket(1)) == .answered(gateway.answer))
        #expect(await mix.reachesGateway)
    }

    @Test func `A gateway that is away is not asked for each ballot`() async throws {
        let gateway = RecordingGateway()
        let mix = Self.mix(gateway, count: 1_000)
        for number in 0..<Self.settings.capacity { try await mix.add([1], ticket: Self.ticket(number)) }
        gateway.status.withLock { $0 = 503 }
        await mix.sendAll()
        #expect(gateway.messages.count == MixSettings.connections)
        gateway.status.withLock { $0 = 200 }
        await mix.sendAll()
        #expect(gateway.messages.count == MixSettings.connections + Self.settings.capacity)
    }

    @Test func `A refusal by the gateway is an answer`() async throws {
        let gateway = RecordingGateway()
        gateway.status.withLock { $0 = 400 }
        let mix = Self.mix(gateway, count: 2)
        try await mix.add([1], ticket: Self.ticket(1))
        await mix.sendAll()
        #expect(try await mix.state(of: Self.ticket(1)) == .answered(gateway.answer))
        #expect(await mix.reachesGateway)
    }

    @Test func `A full mix refuses, and forgets the oldest answers`() async throws {
        let gateway = RecordingGateway()
        let mix = Self.mix(gateway, count: 1_000)
        for number in 0..<Self.settings.capacity { try await mix.add([1], ticket: Self.ticket(number)) }
        await #expect(throws: Mix.Full.self) { try await mix.add([1], ticket: Self.ticket(Self.settings.capacity)) }
        await mix.sendAll()
        for number in Self.settings.capacity...Self.settings.keptAnswers {
            try await mix.add([1], ticket: Self.ticket(number))
            await mix.sendAll()
        }
        #expect(try await mix.state(of: Self.ticket(Self.settings.keptAnswers)) != nil)
        let known = try await (0..<Self.settings.capacity).asyncCount {
            try await mix.state(of: Self.ticket($0)) != nil
        }
        #expect(known == Self.settings.capacity - 1)
    }

    @Test(arguments: ["", "12", String(repeating: "g", count: 32), String(repeating: "1", count: 33)])
    func `A ticket has 32 hexadecimal digits`(text: String) {
        #expect(Ticket(text) == nil)
    }

    private static func mix(
        _ gateway: RecordingGateway, count: Int, interval: Duration = .seconds(3_600)
    ) -> Mix {
        Mix(settings: MixSettings(count: count, interval: interval), gateway: gateway, logger: Logger(label: "test"))
    }

    static func ticket(_ number: Int) throws -> Ticket {
        let digits = String(number, radix: 16)
        return try #require(Ticket(String(repeating: "0", count: 32 - digits.count) + digits))
    }

    /// Runs the mix during the body, and then tells it to stop.
    private static func running(_ mix: Mix, _ body: () async throws -> Void) async throws {
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup { group in
                group.addTask { try await mix.run() }
                try await body()
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }
}

/// Remembers what it gets.
final class RecordingGateway: Gateway {
    /// Of its answers; `nil` for no answer.
    let status = Mutex<Int?>(200)
    private let received = Mutex<[[UInt8]]>([])
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    var messages: [[UInt8]] { received.withLock { $0 } }

    var answer: GatewayAnswer {
        GatewayAnswer(status: status.withLock { $0 } ?? 0, mediaType: "message/ohttp-res", body: [7])
    }

    func forward(_ message: [UInt8]) async throws -> GatewayAnswer {
        guard status.withLock({ $0 }) != nil else { throw CancellationError() }
        received.withLock { $0.append(message) }
        arrival.yield()
        return answer
    }

    func keys() async throws -> GatewayAnswer {
        try await forward([])
    }

    /// Returns when so many more messages have arrived.
    func receives(_ count: Int) async throws {
        var left = count
        for await _ in arrivals {
            left -= 1
            if left == 0 { return }
        }
    }
}

extension Sequence {
    fileprivate func asyncCount(where isCounted: (Element) async throws -> Bool) async rethrows -> Int {
        var count = 0
        for element in self where try await isCounted(element) { count += 1 }
        return count
    }
}
