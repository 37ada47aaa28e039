import Foundation
import Hummingbird

/// Builds addresses of pages with query parameters.
enum PageAddress {
    /// A path with those parameters that have a value; blank ones are left out.
    static func of(_ path: String, _ fields: KeyValuePairs<String, String?>) -> String {
        var parts = URLComponents()
        parts.path = path
        let items = fields.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : URLQueryItem(name: name, value: $0) }
        }
        guard !items.isEmpty else { return path }
        parts.queryItems = items
        // Otherwise a plus sign would be read as a space (`Request.field`).
        return parts.string.map { $0.replacing("+", with: "%2B") } ?? path
    }
}

extension Request {
    /// A field of a form sent with GET, in which a plus sign is a space (URL Standard, §5.1); `nil` if it is missing or
    /// invalid.
    func field(_ name: String) -> String? {
        guard let query = uri.query else { return nil }
        var parts = URLComponents()
        // Only if it can be decoded: the setter accepts nothing else.
        let encoded = query.replacing("+", with: "%20")
        guard encoded.removingPercentEncoding != nil, encoded.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        parts.percentEncodedQuery = encoded
        return parts.queryItems?.first { $0.name == name }?.value
    }
}
