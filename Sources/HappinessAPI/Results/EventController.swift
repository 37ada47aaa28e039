import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Services

/// A team's publications as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
///
/// An event contains the publication number only, not the results. The client then reloads what it shows.
struct EventController: Sendable {
    let feed: PublicationFeed
    let memberships: MembershipCache
    let authenticator: Authenticator
    let publications: PublicationService

    /// Number of checks between two keep-alive comments. Checks are five seconds apart; proxies and phones drop
    /// connections that are silent for 30 or 60 seconds.
    private static let checksPerComment = 4
    /// Number of checks until a stream ends and its client reconnects: half an hour. A token that has expired since is
    /// then rejected.
    private static let maximumChecks = 360

    /// `GET /api/v1/teams/{team}/events`
    func events(_ request: Request, context: AppRequestContext) async throws -> Response {
        let listener = try context.requirePrincipal()
        let teamID = try context.teamID()
        guard try await mayListen(listener, to: teamID), let number = try await publications.number(of: teamID)
        else { throw AppError.noSuchTeam }
        try feed.checkCapacity(for: listener.userID)
        let known = Self.lastNumber(of: request) ?? number
        let channel = context.channel
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                // Otherwise nginx holds events back until its buffer is full.
                .accelBuffering: "no",
            ],
            body: ResponseBody { writer in
                try await feed.subscribe(
                    to: teamID, as: listener.userID, onStalled: { channel.close(promise: nil) }
                ) { events in
                    try await request.body.consumeWithInboundCloseHandler { _ in
                        try await withGracefulShutdownHandler {
                            var stream = EventStream(writer: writer, known: known)
                            try await stream.begin(at: number)
                            try await send(events, to: &stream, as: listener, of: teamID)
                        } onGracefulShutdown: {
                            // Closes the channel instead of ending the stream: a write may be blocked by a client that
                            // does not read.
                            channel.close(promise: nil)
                        }
                    } onInboundClosed: {
                        events.end()
                    }
                }
                try await writer.finish(nil)
            })
    }

    private func send(
        _ events: PublicationEvents, to stream: inout EventStream, as listener: Principal, of teamID: Team.ID
    ) async throws {
        var checks = 0
        for await event in events.stream {
            do {
                guard try await mayListen(listener, to: teamID) else { return }
            } catch  where AppError(error)?.code == .unavailable {
                // The store cannot say whether the listener is still allowed: send nothing until it can.
                continue
            }
            if try await stream.say(event.number) { continue }
            guard event.check > 0 else { continue }
            checks += 1
            if checks >= Self.maximumChecks { return }
            if checks.isMultiple(of: Self.checksPerComment) { try await stream.comment() }
        }
    }

    /// Whether the session is valid and the user is in the team; the answer may be a few seconds old.
    private func mayListen(_ listener: Principal, to teamID: Team.ID) async throws -> Bool {
        do {
            try await authenticator.requireSession(of: listener)
        } catch let error as AppError where error.code == .unauthenticated {
            return false
        }
        return try await memberships.membership(of: listener.userID, in: teamID) != nil
    }

    /// The last number the client received: the header when it reconnects, or `after` for a page rendered at that
    /// number. `nil` if the client sends none; -1 if it sends one we never issued.
    private static func lastNumber(of request: Request) -> Int? {
        guard let text = request.headers[.lastEventID] ?? request.query("after") else { return nil }
        return Int(text) ?? -1
    }
}

/// Writes one event stream.
private struct EventStream {
    var writer: any ResponseBodyWriter
    /// The last number the client received.
    var known: Int

    /// Milliseconds until a browser reconnects after the stream ended.
    private static let retry = 3_000

    /// Sends the current number, and an event if the client has missed one. An `id` without data is not an event.
    mutating func begin(at number: Int) async throws {
        try await writer.write(ByteBuffer(string: "retry: \(Self.retry)\nid: \(known)\n\n"))
        // Also if the client's number is higher: the store may have been restored from a backup.
        if number != known { known = number - 1 }
        try await say(number)
    }

    /// Sends an event for a new publication.
    /// - Parameter number: the number just read; may be older than `known`.
    /// - Returns: false if the client already has it.
    @discardableResult
    mutating func say(_ number: Int) async throws -> Bool {
        guard number > known else { return false }
        known = number
        try await writer.write(
            ByteBuffer(string: "id: \(number)\nevent: publication\ndata: {\"number\":\(number)}\n\n"))
        return true
    }

    /// A comment line: clients ignore it, but it keeps proxies from closing the connection.
    mutating func comment() async throws {
        try await writer.write(ByteBuffer(string: ":\n\n"))
    }
}

extension HTTPField.Name {
    static let accelBuffering = HTTPField.Name.constant("X-Accel-Buffering")
}
