/// How certain it is that one published value differs from an earlier one.
package enum Certainty: Hashable, Sendable {
    /// Whatever the missing answers of both are: the bounds of `PossibleMean`. Says nothing about chance.
    case certain(PossibleMean.Change)
    /// Unless the missing answers differ from those given: chance alone would rarely show as much.
    case probable(PossibleMean.Change, Evidence)
    /// The missing answers could undo the difference, and chance could explain it or no test is possible.
    case unclear

    /// - Parameter evidence: what a test found; not used if the values themselves differ in the other direction.
    package init(of now: PossibleMean, since before: PossibleMean, evidence: Evidence?) {
        if let change = now.change(since: before) {
            self = .certain(change)
        } else if let evidence, evidence.change == .rise ? now.mean >= before.mean : now.mean <= before.mean {
            self = .probable(evidence.change, evidence)
        } else {
            self = .unclear
        }
    }
}
