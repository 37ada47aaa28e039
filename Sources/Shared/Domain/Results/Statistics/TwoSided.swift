import Foundation

/// Two-sided p-values.
enum TwoSided {
    /// Twice the smaller tail including the observed result, at most 1: the definition of scipy's tests for
    /// distributions that are not symmetric.
    /// - Parameter weights: how often each result 0, 1, 2 … occurs, in any unit.
    static func exact(_ weights: [Double], observed: Int) -> Double {
        let below = weights[...observed].reduce(0, +)
        let above = weights[observed...].reduce(0, +)
        return min(1, 2 * min(below, above) / weights.reduce(0, +))
    }

    /// The normal approximation with a correction for continuity: the distance is reduced by half a step.
    /// - Parameters:
    ///   - distance: of the result from its expected value, at least 0.
    ///   - step: distance of neighbouring results.
    /// - Returns: 1 if the variance is 0: then all results are equal.
    static func normal(distance: Double, step: Double, variance: Double) -> Double {
        guard variance > 0 else { return 1 }
        return erfc(max(0, distance - step / 2) / (2 * variance).squareRoot())
    }
}
