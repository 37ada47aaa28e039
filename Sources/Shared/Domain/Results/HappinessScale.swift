/// The lowest and the highest value of another tool's answers.
package struct HappinessScale: Hashable, Sendable {
    /// The value of the least happy people; may be higher than `best`.
    let worst: Double
    /// The value of the happiest people.
    let best: Double

    /// This product's: 0 to 10.
    package static let full = HappinessScale(worst: 0, best: 10)

    /// `from 1 to 5`
    var words: String { "from \(Self.short(worst)) to \(Self.short(best))" }

    private static func short(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(value)
    }

    /// A value of the scale as one from 0 to 10; `nil` outside the scale.
    func happiness(_ value: Double) -> Double? {
        guard (min(worst, best)...max(worst, best)).contains(value) else { return nil }
        return (value - worst) / (best - worst) * 10
    }
}

extension HappinessScale: LosslessStringConvertible {
    /// `1-5`
    package var description: String { "\(Self.short(worst))-\(Self.short(best))" }

    /// Parses two different numbers from 0 to 1,000 with a hyphen between them.
    package init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let worst = parts[0], let best = parts[1], worst != best,
            (0...1_000).contains(worst), (0...1_000).contains(best)
        else { return nil }
        self.init(worst: worst, best: best)
    }
}
