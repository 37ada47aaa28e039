/// A sprint of the previous year in the picture, with the dot of the present year's sprint at the same place.
struct EarlierPosition {
    let x: Double
    let y: Double
    /// The y coordinate of the sprint one year later.
    let mainY: Double
}

/// Finds a place for the label of the previous year's line: close to that line without touching any.
struct EarlierName {
    /// Width of the text in pixels.
    let width: Double
    let layout: ChartLayout

    /// Distance between a line and the label in pixels.
    private static let gap = 6.0

    /// Centre and baseline of the text.
    func place(among places: [EarlierPosition]) -> (x: Double, y: Double) {
        let candidates = places.filter {
            $0.x - width / 2 >= layout.left && $0.x + width / 2 <= layout.right
        }
        let free = candidates.flatMap { options(at: $0, among: places) }.min { $0.distance < $1.distance }
        if let free { return (free.x, free.y) }
        // No place fits: choose the side opposite to this year's line.
        let first = candidates.first ?? places[0]
        let y = first.y >= first.mainY ? first.y + layout.labelSize + Self.gap : first.y - Self.gap
        return (max(first.x, layout.left + width / 2), min(max(y, layout.top + layout.labelSize), layout.bottom - 4))
    }

    private struct Option {
        let x: Double
        let y: Double
        /// Distance from the line to the label in pixels.
        let distance: Double
    }

    /// Places above and below the line at which both lines leave room for the whole width.
    private func options(at place: EarlierPosition, among places: [EarlierPosition]) -> [Option] {
        let pitch = zip(places, places.dropFirst()).map { $1.x - $0.x }.min() ?? 0
        let beside = places.filter { abs($0.x - place.x) <= width / 2 + pitch }
        let highest = beside.map(\.y).min() ?? place.y
        let lowest = beside.map(\.y).max() ?? place.y
        let above = highest - Self.gap
        let below = lowest + Self.gap + layout.labelSize
        return [(above, place.y - above), (below, below - layout.labelSize - place.y)].compactMap { y, distance in
            let top = y - layout.labelSize
            let isFree = beside.allSatisfy { $0.mainY < top - Self.gap || $0.mainY > y + Self.gap }
            guard isFree, top > layout.top, y < layout.bottom - 4 else { return nil }
            return Option(x: place.x, y: y, distance: distance)
        }
    }
}
