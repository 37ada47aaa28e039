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
    /// The language and the time zone of the labels.
    let words: ChartTexts

    /// A label below the axis.
    struct Tick: Hashable {
        let x: Double
        let text: String
    }

    /// - Parameter points: in order of time.
    init(size: HistoryChart.Size, points: [HistoryPoint], hasHeading: Bool = true, words: ChartTexts) {
        self.words = words
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

    /// The labels below the axis: months, every n-th for the smallest n for which they do not touch. A history in which
    /// fewer than two months begin has the first days of its sprints instead.
    var ticks: [Tick] {
        let months = firstDays
        guard months.count > 1 else {
            return spaced(points.map { Tick(x: x($0.start), text: words.text(of: words.day(of: $0.start))) })
        }
        for step in [1, 2, 3, 6] + Array(stride(from: 12, through: 12_000, by: 12)) {
            let ticks =
                months
                .filter { ($0.year * 12 + $0.month - 1).isMultiple(of: step) }
                .map { Tick(x: x(words.start(of: $0)), text: words.name(ofMonth: $0.month)) }
            if areApart(ticks) { return ticks }
        }
        return []
    }

    /// The first days of months between the first dot and the last.
    private var firstDays: [CalendarDay] {
        guard let first = points.first?.start, let last = points.last?.start else { return [] }
        let (from, through) = (words.day(of: first), words.day(of: last))
        return (from.year * 12 + from.month - 1...through.year * 12 + through.month - 1)
            .compactMap { CalendarDay(year: $0 / 12, month: $0 % 12 + 1, day: 1) }
            .filter { (from...through).contains($0) }
    }

    /// Every n-th of the ticks, counted back from the last, with the smallest n for which they do not touch.
    private func spaced(_ ticks: [Tick]) -> [Tick] {
        for step in 1..<max(ticks.count, 2) {
            let candidates = stride(from: ticks.count - 1, through: 0, by: -step).map { ticks[$0] }
            if areApart(candidates.reversed()) { return candidates.reversed() }
        }
        return ticks.suffix(1)
    }

    private func areApart(_ ticks: [Tick]) -> Bool {
        zip(ticks, ticks.dropFirst()).allSatisfy { left, right in
            let widths = [left, right].map { SVGText.width(of: $0.text, fontSize: labelSize) }
            return right.x - left.x >= (widths[0] + widths[1]) / 2 + labelSize
        }
    }

    /// The beginnings of years between the first dot and the last, those that have room for their names.
    var years: [(year: Int, x: Double)] {
        var result: [(year: Int, x: Double)] = []
        let room = SVGText.width(of: "2026", fontSize: labelSize) + 14
        for day in firstDays where day.month == 1 {
            let x = x(words.start(of: day))
            if x - (result.last?.x ?? -room) >= room { result.append((day.year, x)) }
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
