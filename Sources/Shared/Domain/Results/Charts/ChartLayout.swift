import Foundation

/// The positions in a chart of a given size: scales, margins and which labels fit.
struct ChartLayout {
    let width: Double
    let height: Double
    let points: [HistoryPoint]
    /// Whether the chart is small: smaller letters, fewer grid lines.
    let isCompact: Bool
    /// Whether the picture has a heading of its own.
    let hasHeading: Bool

    /// - Parameter points: in order of time.
    init(size: HistoryChart.Size, points: [HistoryPoint], hasHeading: Bool = true) {
        self.hasHeading = hasHeading
        width = Double(size.width)
        height = Double(size.height)
        self.points = points
        isCompact = size.width < 560 || size.height < 300
    }

    var titleSize: Double { isCompact ? 14 : 18 }
    var labelSize: Double { isCompact ? 11 : 12 }
    var badgeSize: Double { labelSize + 1 }
    var left: Double { isCompact ? 34 : 52 }
    /// Leaves room for the badge next to the last dot.
    var right: Double { width - (isCompact ? 52 : 68) }
    var top: Double { (isCompact ? 72 : 92) - (hasHeading ? 0 : isCompact ? 44 : 56) }
    var bottom: Double { height - (isCompact ? 34 : 48) }
    var gridValues: [Int] { bottom - top < 110 ? [0, 5, 10] : [0, 2, 4, 6, 8, 10] }

    func y(_ happiness: Double) -> Double {
        bottom - (bottom - top) * min(max(happiness, 0), 10) / 10
    }

    /// The time axis is linear, so the width of a gap in the history shows its duration.
    func x(_ instant: Date) -> Double {
        guard let first = points.first?.start, let last = points.last?.start, first < last else {
            return (left + inset + right) / 2
        }
        let share = instant.timeIntervalSince(first) / last.timeIntervalSince(first)
        return left + inset + (right - left - inset) * share
    }

    /// Between the value axis and the first dot.
    private var inset: Double { isCompact ? 12 : 20 }

    /// Grid lines extend below the badge.
    var gridRight: Double { width - (isCompact ? 14 : 24) }

    /// Radius in pixels, small enough that dots of successive sprints do not touch.
    var dotRadius: Double {
        let gaps = zip(points, points.dropFirst()).map { x($1.start) - x($0.start) }
        return min(max((gaps.min() ?? largestDot * 5) * 0.22, 1.5), largestDot)
    }

    /// Pixels.
    var largestDot: Double { isCompact ? 3.5 : 4.5 }

    /// Points with visible labels: every n-th, counted back from the last, with the smallest n for which labels do not
    /// touch.
    var labelled: [HistoryPoint] {
        var step = 1
        while step < points.count {
            let candidates = stride(from: points.count - 1, through: 0, by: -step).map { points[$0] }
            let fits = zip(candidates, candidates.dropFirst()).allSatisfy { later, earlier in
                let room = (labelWidth(later) + labelWidth(earlier)) / 2 + labelSize
                return x(later.start) - x(earlier.start) >= room
            }
            if fits { return candidates.reversed() }
            step += 1
        }
        return Array(points.suffix(1))
    }

    private func labelWidth(_ point: HistoryPoint) -> Double {
        SVGText.width(of: point.label.description, fontSize: labelSize)
    }

    /// The boundaries between years: halfway between the last dot of one year and the first of the next.
    var years: [(year: Int, x: Double)] {
        var result: [(year: Int, x: Double)] = []
        for (earlier, later) in zip(points, points.dropFirst()) where earlier.label.year != later.label.year {
            let middle = (max(x(earlier.start), x(later.start) - 40) + x(later.start)) / 2
            let room = SVGText.width(of: "2026", fontSize: labelSize) + 14
            if middle - (result.last?.x ?? -room) >= room { result.append((later.label.year, middle)) }
        }
        return result
    }

    /// Runs of points that follow each other without a missing sprint.
    var runs: [[HistoryPoint]] {
        points.reduce(into: []) { runs, point in
            if let last = runs.last?.last, last.end == point.start {
                runs[runs.count - 1].append(point)
            } else {
                runs.append([point])
            }
        }
    }
}
