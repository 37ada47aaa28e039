import HTTPTypes
import Hummingbird

/// Which methods a path has, for the answer to a request with another one: the router itself says 404 to both.
struct RouteMatcher: Sendable {
    private let routes: [(segments: [Substring], method: HTTPRequest.Method)]

    /// - Parameter router: with all its routes added.
    init(_ router: Router<AppRequestContext>) {
        routes = router.routes.map { ($0.path.description.split(separator: "/"), $0.method) }
    }

    /// In alphabetical order; empty for a path that no route has. Of routes that match those count that have most of the
    /// path literally: `/invitations/import` is no invitation.
    func methods(of path: String) -> [HTTPRequest.Method] {
        let segments = path.split(separator: "/")
        let matching = routes.filter { Self.matches(segments, $0.segments) }
        let parameters = matching.map { Self.parameters($0.segments) }.min()
        var methods = Set(matching.filter { Self.parameters($0.segments) == parameters }.map(\.method))
        // The router makes these by itself (`autoGenerateHeadEndpoints`) and does not list them.
        if methods.contains(.get) { methods.insert(.head) }
        return methods.sorted { $0.rawValue < $1.rawValue }
    }

    private static func matches(_ segments: [Substring], _ pattern: [Substring]) -> Bool {
        segments.count == pattern.count
            && zip(segments, pattern).allSatisfy { isParameter($1) || $0 == $1 }
    }

    private static func parameters(_ pattern: [Substring]) -> Int {
        pattern.count(where: isParameter)
    }

    private static func isParameter(_ segment: Substring) -> Bool {
        segment.hasPrefix("{") || segment.hasPrefix(":")
    }
}
