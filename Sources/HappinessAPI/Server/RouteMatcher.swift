import HTTPTypes
import Hummingbird

/// Finds the methods of a path, for 405 responses: the router itself responds 404 in both cases.
struct RouteMatcher: Sendable {
    private let routes: [(segments: [Substring], method: HTTPRequest.Method)]

    /// - Parameter router: must contain all routes.
    init(_ router: Router<AppRequestContext>) {
        routes = router.routes.map { ($0.path.description.split(separator: "/"), $0.method) }
    }

    /// In alphabetical order; empty if no route matches. If several match, only those with the most literal path
    /// components are used: `/invitations/import` is not an invitation.
    func methods(of path: String) -> [HTTPRequest.Method] {
        let segments = path.split(separator: "/")
        let matching = routes.filter { Self.matches(segments, $0.segments) }
        let parameters = matching.map { Self.parameters($0.segments) }.min()
        var methods = Set(matching.filter { Self.parameters($0.segments) == parameters }.map(\.method))
        // The router adds these itself (`autoGenerateHeadEndpoints`) without listing them.
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
