import HTTPTypes
import Hummingbird
import Logging
import Metrics
import Ports
import Services
import Synchronization

/// Logs, counts and traces requests by the route's pattern, never by path, query or user.
///
/// Routes about ballots are excluded from all three: a counter that grows when a colleague votes, or a line or a span
/// with a time, would reveal when they voted.
struct RequestLogMiddleware: RouterMiddleware {
    /// Counts for the status page, in addition to the metrics.
    let activity: ServerActivity
    /// Not the request's logger, which belongs to the framework (`Logger.forServerFramework`).
    let logger: Logger
    /// `nil` if no traces are exported.
    var spans: SpanRecorder?

    private let meters = RequestMeters()

    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        guard let route = context.endpointPath, !BallotRoutes.contains(route) else { return response }
        let duration = ContinuousClock.now - start
        meters.record(method: request.method, route: route, status: response.status, duration: duration)
        activity.countAnswer(status: response.status.code)
        // The router calls the route of an unknown address "NotFound".
        if let spans, route.hasPrefix("/"), !AutomaticRoutes.contains(route) {
            spans.record(request, route: route, status: response.status, duration: duration)
        }
        logger.debug(
            "Request",
            metadata: [
                "http.method": "\(request.method)", "http.route": "\(route)", "http.status": "\(response.status.code)",
                "duration": "\(duration)",
            ])
        return response
    }
}

extension SpanRecorder {
    /// Records a request by the conventions of OpenTelemetry
    /// (https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span), but without path, query,
    /// address and user agent.
    fileprivate func record(_ request: Request, route: String, status: HTTPResponse.Status, duration: Duration) {
        let method = request.method.rawValue
        record(
            "\(method) \(route)", kind: .server,
            attributes: [
                "http.request.method": .text(method), "http.route": .text(route),
                "http.response.status_code": .number(status.code),
            ],
            hasFailed: status.code >= 500, duration: duration,
            continuing: request.headers[.traceparent].flatMap { TraceContext(traceparent: $0) })
    }
}

/// Routes whose use reveals something about a ballot.
enum BallotRoutes {
    /// Patterns as the router writes them.
    static let patterns: Set<String> = [
        "/happiness/track", "/happiness/hasVoted", "/happiness/currentSprint",
        "/api/v1/teams/{team}/sprints/{year}/{number}/ballots", "/api/v1/teams/{team}/sprints/current",
        "/api/v1/teams/{team}/sprints/{year}/{number}/ballot-key",
        "/api/v1/teams/{team}/sprints/{year}/{number}/ballot-papers", "/api/v1/ballot-keys/{key}",
        "/api/v1/sprint-ballot-keys/{team}/{year}/{number}", "/api/v1/ballots",
        // Opened by pages that a voter returns to after a vote.
        "/api/v1/teams/{team}/events",
        // The error may come from the page on which a member votes.
        "/api/v1/client-errors",
        // Requests of a browser between a reminder and the page that confirms the vote.
        "/", "/teams/{team}", "/teams/{team}/vote", "/teams/{team}/vote/plain", "/teams/{team}/vote/later",
        // The page of a vote links to them.
        "/trust", "/trust/notice",
        // Returns a ballot's form to its sender if their login had expired.
        "/kept-form",
    ]

    static func contains(_ route: String) -> Bool { patterns.contains(route) }
}

/// Routes that a browser uses by itself while it shows a page: its files, the offline page, and its subscription to
/// notifications. They have no span: requests to them, without one for a page before them, would show when someone
/// opened a page about a vote.
enum AutomaticRoutes {
    private static let prefixes = [
        "/assets/", "/pictures/", "/favicon.ico", "/manifest.webmanifest", "/service-worker.js", "/offline",
        "/api/v1/push/web-key", "/api/v1/me/devices",
    ]

    static func contains(_ route: String) -> Bool {
        prefixes.contains { route.hasPrefix($0) }
    }
}

/// Counter and timer of each route, created once.
private final class RequestMeters: Sendable {
    private struct Key: Hashable {
        let method: HTTPRequest.Method
        let route: String
        let status: Int
    }

    private struct Meters {
        let requests: Counter
        let duration: Metrics.Timer
    }

    private let known = Mutex<[Key: Meters]>([:])

    func record(method: HTTPRequest.Method, route: String, status: HTTPResponse.Status, duration: Duration) {
        let key = Key(method: method, route: route, status: status.code)
        let meters = known.withLock { known in
            if let meters = known[key] { return meters }
            let dimensions = [("method", method.rawValue), ("route", route), ("status", String(status.code))]
            let meters = Meters(
                requests: Counter(label: "http_requests_total", dimensions: dimensions),
                duration: Metrics.Timer(label: "http_request_duration_seconds", dimensions: [("route", route)]))
            known[key] = meters
            return meters
        }
        meters.requests.increment()
        meters.duration.recordNanoseconds(Int64(duration / .nanoseconds(1)))
    }
}
