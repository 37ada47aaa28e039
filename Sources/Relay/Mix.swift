import Foundation
import Logging
import ServiceLifecycle

/// Ballots that wait so that several of them reach the gateway at once, in random order.
///
/// An operator who watches the gateway sees when a ballot paper is signed, and for whom. If a ballot arrives a moment
/// later, it is likely the same person's. If several arrive that have waited, each may be anybody's in the group.
///
/// Everything is in memory. A client keeps its ballot until it has the answer, and sends it again if this process has
/// ended: a ballot counts once.
actor Mix: Service {
    /// What a client may know about a message that it has sent.
    enum State: Hashable, Sendable {
        /// It waits, or is on its way.
        case waiting
        /// The gateway's answer.
        case answered(GatewayAnswer)
    }

    /// The mix cannot take another message.
    struct Full: Error {}

    private let settings: MixSettings
    private let gateway: any Gateway
    private let logger: Logger

    /// Messages by their tickets.
    private var waiting: [Ticket: [UInt8]] = [:]
    /// Sends what waits before the first of its sprints closes.
    private var deadline: (instant: Date, alarm: Task<Void, any Error>)?
    private var underWay: Set<Ticket> = []
    private var answers: [Ticket: GatewayAnswer] = [:]
    /// The tickets of `answers`, the oldest first.
    private var answered: [Ticket] = []
    /// For a while after a failed attempt.
    private var isPaused = false
    /// Rings when ballots are to be sent.
    private let rings: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    /// Whether the last attempt to reach the gateway succeeded.
    private(set) var reachesGateway = true

    init(settings: MixSettings, gateway: any Gateway, logger: Logger) {
        self.settings = settings
        self.gateway = gateway
        self.logger = logger
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes a message. The same ticket again changes nothing.
    /// - Parameter end: when the gateway stops to count the ballot; `nil` if the client does not say.
    /// - Throws: `Full`.
    func add(_ message: [UInt8], ticket: Ticket, before end: Date? = nil) throws(Full) {
        guard state(of: ticket) == nil else { return }
        guard waiting.count + underWay.count < settings.capacity else { throw Full() }
        waiting[ticket] = message
        if let end { send(before: end) }
        if isEnough { bell.yield() }
    }

    /// With the one that cannot wait all others go, so that it does not go alone.
    private func send(before end: Date) {
        let instant = end - MixSettings.margin
        if let deadline, deadline.instant <= instant { return }
        deadline?.alarm.cancel()
        let alarm = Task {
            // An end that is near, or over, rings at once: only the gateway knows what still counts.
            try await Task.sleep(for: .seconds(max(0, instant.timeIntervalSinceNow)))
            bell.yield()
        }
        deadline = (instant, alarm)
    }

    /// - Returns: `nil` for a ticket that this process has not seen, or has forgotten.
    func state(of ticket: Ticket) -> State? {
        if let answer = answers[ticket] { return .answered(answer) }
        return waiting[ticket] != nil || underWay.contains(ticket) ? .waiting : nil
    }

    private var isEnough: Bool { waiting.count >= settings.count && !isPaused }

    // MARK: Sending

    /// Sends what waits, whenever it is enough and every `seconds`, until the process is told to stop; then all the rest.
    func run() async throws {
        let clock = Task { [settings] in
            while !Task.isCancelled {
                // At fixed times, not some time after a ballot: then the time at which it is sent would tell when it came.
                try await Task.sleep(for: settings.interval)
                roundBegins()
            }
        }
        await withGracefulShutdownHandler {
            for await _ in rings { await sendAll() }
        } onGracefulShutdown: { [bell] in
            bell.finish()
        }
        clock.cancel()
        await sendAll()
    }

    private func roundBegins() {
        isPaused = false
        if !waiting.isEmpty { bell.yield() }
    }

    /// Sends what waits now. After a message that did not reach the gateway, it and the others wait for another attempt.
    func sendAll() async {
        let batch = waiting.shuffled()
        guard !batch.isEmpty else { return }
        waiting = [:]
        deadline?.alarm.cancel()
        deadline = nil
        underWay = Set(batch.map(\.key))
        isPaused = false
        await withTaskGroup(of: (Ticket, [UInt8], GatewayAnswer?).self) { [gateway] group in
            var rest = batch[...]
            func sendNext() {
                guard let (ticket, message) = rest.popFirst() else { return }
                group.addTask { (ticket, message, try? await gateway.forward(message)) }
            }
            for _ in 0..<MixSettings.connections { sendNext() }
            for await (ticket, message, answer) in group {
                finish(ticket, message, answer)
                if !isPaused { sendNext() }
            }
            for (ticket, message) in rest { finish(ticket, message, nil) }
        }
        if isPaused { tryAgainLater() }
        if isEnough { bell.yield() }
    }

    /// The next round may be a day away, and a gateway is rarely away for longer than a restart.
    private func tryAgainLater() {
        Task {
            try await Task.sleep(for: min(settings.interval, MixSettings.pause))
            roundBegins()
        }
    }

    private func finish(_ ticket: Ticket, _ message: [UInt8], _ answer: GatewayAnswer?) {
        underWay.remove(ticket)
        let isFinal = answer?.isFinal == true
        if isFinal != reachesGateway {
            reachesGateway = isFinal
            logger.notice(isFinal ? "The gateway answers again" : "The gateway doesn’t answer; the ballots wait")
        }
        guard let answer, isFinal else {
            waiting[ticket] = message
            isPaused = true
            return
        }
        answers[ticket] = answer
        answered.append(ticket)
        if answered.count > settings.keptAnswers { answers[answered.removeFirst()] = nil }
    }
}

/// How ballots are mixed.
struct MixSettings: Sendable {
    /// So many ballots are sent at once.
    let count: Int
    /// However few ballots there are, they are sent at the end of each interval.
    let interval: Duration

    /// Seconds between the last attempt to send a ballot and the end of its sprint, for slow clocks and a gateway that is
    /// away for a moment.
    static let margin: TimeInterval = 300
    /// After an attempt that failed.
    static let pause: Duration = .seconds(60)
    /// Messages that may wait. They have less than 40 KiB each.
    var capacity: Int { max(256, 2 * count) }
    /// Answers that are kept for clients to fetch. They have about 2 KiB each.
    var keptAnswers: Int { max(2_048, 2 * count) }
    /// Messages on their way to the gateway at a time.
    static let connections = 16
}

/// The name that a client gives to its message, so that it can ask for the answer.
struct Ticket: Hashable, Sendable {
    private let text: String

    /// - Parameter text: 32 hexadecimal digits, which nobody can guess.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
        self.text = String(text)
    }
}
