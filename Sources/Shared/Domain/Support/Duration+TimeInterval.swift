package import Foundation

extension Duration {
    /// For arithmetic with `Date`.
    package var timeInterval: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
