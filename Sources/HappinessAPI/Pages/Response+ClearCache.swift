import HTTPTypes
import Hummingbird

extension Response {
    /// Clears the pages that the browser has cached, since it may be shared (Clear Site Data §3.1). What is stored, our
    /// script deletes by name (`forget-user.js`): ballot keys that this browser has seen stay, and so do unsent sealed
    /// ballots.
    /// - Parameter path: that of the installation. Below one the browser would also clear what other services on the
    ///   host have cached.
    mutating func clearCache(of path: PublicPath) {
        guard path.text.isEmpty else { return }
        headers[.clearSiteData] = #""cache""#
    }
}

extension HTTPField.Name {
    static let clearSiteData = HTTPField.Name.constant("Clear-Site-Data")
}
