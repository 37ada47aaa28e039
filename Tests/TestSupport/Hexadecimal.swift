package import Foundation
import Testing

extension Data {
    /// Bytes from hexadecimal digits.
    /// - Throws: if the number of digits is odd, or one is not a digit.
    package init(hexadecimal text: String) throws {
        let digits = try text.map { try #require($0.hexDigitValue) }
        try #require(digits.count.isMultiple(of: 2))
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(16 * digits[$0] + digits[$0 + 1]) })
    }
}
