import Foundation

/// The value of one vote: 0 (worst) to 10 (best) in steps of a tenth, stored as whole tenths so that sums are exact.
package struct Happiness: Hashable, Sendable {
    /// The scale, in tenths.
    package static let range = 0...100

    /// 0...100.
    package let tenths: Int

    /// - Throws: `AppError.unprocessable` outside `range`.
    package init(tenths: Int) throws(AppError) {
        guard Self.range.contains(tenths) else { throw Self.outOfRange }
        self.tenths = tenths
    }

    /// - Throws: `AppError.unprocessable` outside 0...10, for NaN, and for a second decimal place.
    package init(_ value: Double) throws(AppError) {
        guard value >= 0, value <= 10 else { throw Self.outOfRange }
        let tenths = (value * 10).rounded()
        // A tenth has no exact Double, but each of the 101 values equals its own quotient.
        guard tenths / 10 == value else { throw Self.tooPrecise }
        self.tenths = Int(tenths)
    }

    /// Parses `7`, `7.0` and `5.5`, as sent by a form: digits, at most one point, no sign, no exponent.
    /// - Throws: `AppError.malformed` for anything else, `AppError.unprocessable` as `init(_: Double)`.
    package init(text: String) throws(AppError) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { part in
            (1...16).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) }
        }
        guard areDigits, let value = Double(text) else {
            throw AppError(.malformed, "Happiness must be a number from 0 to 10.", reason: .happinessNotANumber)
        }
        try self.init(value)
    }

    /// The column 0...10 of a distribution in which the value is counted: the nearest, halves rounded up.
    package var column: Int { (tenths + 5) / 10 }

    private static let outOfRange = AppError(
        .unprocessable, "Happiness must be from 0 to 10.", reason: .happinessOutOfRange)
    private static let tooPrecise = AppError(
        .unprocessable, "Happiness has one decimal place at most.", reason: .happinessTooPrecise)
}
