package import Domain

extension Certainty {
    /// One line for people without statistics: by how much a value has changed, and how certain that is.
    ///
    /// The size is the difference of the two values as they are shown, so that readers can check it. "Certain" is what
    /// the missing answers cannot undo; it says nothing about the reason.
    package func plain(from before: Double, to now: Double, words: LocalizedTexts) -> String {
        let size = abs(Self.shown(now) - Self.shown(before))
        let values = ["before": words.happiness(before), "size": words.happiness(size)]
        // First, since nobody sees a difference that is rounded away.
        if values["before"] == words.happiness(now) { return words.text("certainty.same", values) }
        switch self {
        case .certain(.rise): return words.text("certainty.rise", values)
        case .certain(.fall): return words.text("certainty.fall", values)
        case .probable(.rise, _): return words.text("certainty.probableRise", values)
        case .probable(.fall, _): return words.text("certainty.probableFall", values)
        case .unclear: return words.text("certainty.unclear", values)
        }
    }

    /// The direction of a change; `nil` if it is unclear.
    package var change: PossibleMean.Change? {
        switch self {
        case .certain(let change), .probable(let change, _): change
        case .unclear: nil
        }
    }

    /// A value as pages show it, with one decimal place.
    private static func shown(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
