import Foundation
import Hummingbird

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
