import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Shared

/// A team's publications as server-sent events
/// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
///
/// An event says that something was published and under which number, nothing of what; whoever hears it reads again what
/// it shows.
struct EventController: Sendable {
    let feed: PublicationFeed
    let memberships: MembershipCache
    let authenticator: Authenticator
    let teams: any TeamStore

    /// Checks from one sign of life to the next, of five seconds each: proxies and phones drop what is silent for a
    /// minute or half of one.
    private static let checksPerComment = 4
    /// Checks after which a stream ends and its listener comes back: half an hour. A token that has expired since is
    /// noticed then.
    private static let maximumChecks = 360

    /// `GET /api/v1/teams/{team}/events`
    func events(_ request: Request, context: AppRequestContext) async throws -> Response {
        let listener = try context.requirePrincipal()
        let teamID = try context.teamID()
        guard try await mayListen(listener, to: teamID), let number = try await teams.publicationNumber(of: teamID)
        else { throw AppError.noSuchTeam }
        try feed.requireRoom(for: listener.userID)
        let known = Self.lastNumber(of: request) ?? number
        let channel = context.channel
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                // nginx would keep events back until its buffer is full.
                .accelBuffering: "no",
            ],
            body: ResponseBody { writer in
                try await feed.listen(
                    to: teamID, as: listener.userID, cut: { channel.close(promise: nil) }
                ) { pulses in
                    try await request.body.consumeWithInboundCloseHandler { _ in
                        try await withGracefulShutdownHandler {
                            var stream = EventStream(writer: writer, known: known)
                            try await stream.begin(at: number)
                            try await send(pulses, to: &stream, as: listener, of: teamID)
                        } onGracefulShutdown: {
                            // Not by the stream's end: somebody may be stuck in writing to a client that reads nothing.
                            channel.close(promise: nil)
                        }
                    } onInboundClosed: {
                        pulses.end()
                    }
                }
                try await writer.finish(nil)
            })
    }

    private func send(
        _ pulses: PublicationPulses, to stream: inout EventStream, as listener: Principal, of teamID: Team.ID
    ) async throws {
        var checks = 0
        for await pulse in pulses.stream {
            do {
                guard try await mayListen(listener, to: teamID) else { return }
            } catch let error as AppError where error.code == .unavailable {
                // Whether they may is not known now: nothing is said until it is.
                continue
            }
            if try await stream.say(pulse.number) { continue }
            guard pulse.check > 0 else { continue }
            checks += 1
            if checks >= Self.maximumChecks { return }
            if checks.isMultiple(of: Self.checksPerComment) { try await stream.comment() }
        }
    }

    /// Whether the session lives and the user is in the team, as of a few seconds ago at most.
    private func mayListen(_ listener: Principal, to teamID: Team.ID) async throws -> Bool {
        do {
            try await authenticator.requireSession(of: listener)
        } catch let error as AppError where error.code == .unauthenticated {
            return false
        }
        return try await memberships.membership(of: listener.userID, in: teamID) != nil
    }

    /// What the client has heard last: the header of one that comes back, or `after` of one that begins with a page made
    /// at that number. `nil` for one that knows nothing; -1 for one that knows no number of ours.
    private static func lastNumber(of request: Request) -> Int? {
        guard let text = request.headers[.lastEventID] ?? request.query("after") else { return nil }
        return Int(text) ?? -1
    }
}

/// The bytes of one stream.
private struct EventStream {
    var writer: any ResponseBodyWriter
    /// The number the client knows.
    var known: Int

    /// Milliseconds after which a browser comes back when the stream ended.
    private static let retry = 3_000

    /// What a client gets first: the number it knows from now on, and the news if there are any. An `id` without data is
    /// no event.
    mutating func begin(at number: Int) async throws {
        try await writer.write(ByteBuffer(string: "retry: \(Self.retry)\nid: \(known)\n\n"))
        // Also if the client knows a higher one: the store may have come back from a backup.
        if number != known { known = number - 1 }
        try await say(number)
    }

    /// Says that there is something new.
    /// - Parameter number: what somebody has read, perhaps before what is known was.
    /// - Returns: false if the client knows.
    @discardableResult
    mutating func say(_ number: Int) async throws -> Bool {
        guard number > known else { return false }
        known = number
        try await writer.write(
            ByteBuffer(string: "id: \(number)\nevent: publication\ndata: {\"number\":\(number)}\n\n"))
        return true
    }

    /// A line that no client hears, but every proxy on the way.
    mutating func comment() async throws {
        try await writer.write(ByteBuffer(string: ":\n\n"))
    }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name.constant("Last-Event-ID")
    static let accelBuffering = HTTPField.Name.constant("X-Accel-Buffering")
}
