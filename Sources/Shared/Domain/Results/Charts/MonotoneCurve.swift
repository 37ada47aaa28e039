/// A smooth line through points. Its cubic curves never rise above or fall below the points they join, so it shows no
/// value outside the data. Fritsch and Carlson, "Monotone Piecewise Cubic Interpolation", 1980.
enum MonotoneCurve {
    struct Point: Equatable {
        let x: Double
        let y: Double
    }

    /// Path data from the first point to the last; empty without points. x must not decrease.
    static func path(through points: [Point]) -> String {
        guard let first = points.first else { return "" }
        let slopes = tangents(at: points)
        var path = "M\(text(first.x, first.y))"
        for (index, (from, to)) in zip(points, points.dropFirst()).enumerated() {
            let third = (to.x - from.x) / 3
            path += "C\(text(from.x + third, from.y + third * slopes[index]))"
            path += " \(text(to.x - third, to.y - third * slopes[index + 1])) \(text(to.x, to.y))"
        }
        return path
    }

    private static func text(_ x: Double, _ y: Double) -> String {
        "\(SVGText.number(x)) \(SVGText.number(y))"
    }

    private static func tangents(at points: [Point]) -> [Double] {
        let secants = zip(points, points.dropFirst()).map { from, to in
            to.x > from.x ? (to.y - from.y) / (to.x - from.x) : 0
        }
        return points.indices.map { index in
            guard index > 0 else { return secants.first ?? 0 }
            guard index < secants.count else { return secants[index - 1] }
            let (before, after) = (secants[index - 1], secants[index])
            // Flat at a peak or in a valley; elsewhere the harmonic mean, which is at most three times either value.
            return before * after <= 0 ? 0 : 2 * before * after / (before + after)
        }
    }
}
