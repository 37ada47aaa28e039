extension HistoryDrawing {
    /// Everything that depends on the points, from back to front. Requires at least one point.
    func plot() -> [String] {
        var parts = shadeDefinition()
        parts += layout.years.flatMap(yearMark)
        parts += layout.ticks.flatMap(axisLabel)
        parts += earlierYear()
        let runs = layout.runs.map { $0.map(position) }
        parts += runs.filter { $0.count > 1 }.map(area)
        parts += chart.marks.map(flag)
        parts += zip(runs, runs.dropFirst()).flatMap(bridge)
        parts += runs.filter { $0.count > 1 }.map(curve)
        parts += layout.points.dropLast().map { dot($0, radius: layout.dotRadius) }
        if let last = layout.points.last { parts += latest(last) }
        return parts
    }

    private func position(_ point: HistoryPoint) -> MonotoneCurve.Point {
        MonotoneCurve.Point(x: layout.x(point.start), y: layout.y(point.happiness))
    }

    private func shadeDefinition() -> [String] {
        [
            "<defs><linearGradient id=\"\(chart.id)-shade\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\">"
                + "<stop offset=\"0\" stop-opacity=\"0.24\" \(paint(.shade))/>"
                + "<stop offset=\"1\" stop-opacity=\"0.02\" \(paint(.shade))/></linearGradient></defs>"
        ]
    }

    private func area(under run: [MonotoneCurve.Point]) -> String {
        guard let first = run.first, let last = run.last else { return "" }
        let bottom = SVGText.number(layout.bottom)
        let (left, right) = (SVGText.number(first.x), SVGText.number(last.x))
        let path = MonotoneCurve.path(through: run) + "L\(right) \(bottom)L\(left) \(bottom)Z"
        return "<path d=\"\(path)\" fill=\"url(#\(chart.id)-shade)\"/>"
    }

    private func curve(through run: [MonotoneCurve.Point]) -> String {
        "<path d=\"\(MonotoneCurve.path(through: run))\" fill=\"none\" stroke-width=\"\(layout.isCompact ? 2 : 2.5)\""
            + " stroke-linecap=\"round\" stroke-linejoin=\"round\" \(paint(.line))/>"
    }

    /// Sprints between the two runs were not published: the line is dashed, because its values are unknown.
    private func bridge(from left: [MonotoneCurve.Point], to right: [MonotoneCurve.Point]) -> [String] {
        guard let from = left.last, let to = right.first else { return [] }
        let dashes = " stroke-width=\"1.5\" stroke-dasharray=\"2 5\" stroke-linecap=\"round\""
        return [line(fromX: from.x, y: from.y, toX: to.x, y: to.y, as: .line, more: dashes)]
    }

    private func yearMark(_ mark: (year: Int, x: Double)) -> [String] {
        [
            line(
                fromX: mark.x, y: layout.top - 6, toX: mark.x, y: layout.bottom, as: .year,
                more: " stroke-dasharray=\"3 4\""),
            text("\(mark.year)", x: mark.x, y: layout.top - 11, size: layout.labelSize, as: .text, anchor: "middle"),
        ]
    }

    private func axisLabel(_ tick: ChartLayout.Tick) -> [String] {
        [
            line(fromX: tick.x, y: layout.bottom, toX: tick.x, y: layout.bottom + 5, as: .year),
            text(
                tick.text, x: tick.x, y: layout.bottom + (layout.isCompact ? 18 : 24), size: layout.labelSize,
                as: .text, anchor: "middle"),
        ]
    }

    /// The same sprint of the previous year, if there is a line for that year.
    private func earlier(_ point: HistoryPoint) -> HistoryPoint? {
        chart.page?.earlier.first { $0.label == point.label.yearBefore }
    }

    /// Hollow while the sprint runs, because its value may still change.
    private func dot(_ point: HistoryPoint, radius: Double) -> String {
        let position = position(point)
        // A ring in the background colour separates dots from the line; with crowded dots it would cut the line to
        // pieces.
        let stroke = point.isRunning ? 2 : radius < layout.largestDot ? 0 : 1.5
        let numbers = [("cx", position.x), ("cy", position.y), ("r", radius), ("stroke-width", stroke)]
        let circle = "<circle \(attributes(numbers)) \(paint(point.isRunning ? .openDot : .dot))"
        guard let page = chart.page else {
            return "\(circle)><title>\(SVGText.escaped(words.dot(point)))</title></circle>"
        }
        // A reader who focuses the dot hears which actions began; the page's module shows them separately.
        let begun = chart.marks.first { $0.start == point.start }.map(words.begun)
        let earlier = earlier(point)
        let result = words.dot(point, earlier: earlier)
        let text = SVGText.escaped(begun.map { words.dot(result, begun: $0) } ?? result)
        let readout = ChartReadout(
            value: words.value(point.happiness), dates: words.dates(of: point),
            facts: words.facts(of: point, earlier: earlier), begun: begun)
        // Not in the tab order: the page's table has the same links, and its module moves between dots with the arrow
        // keys.
        let address = SVGText.escaped(page.address(point.label))
        return "<a href=\"\(address)\" tabindex=\"-1\" aria-label=\"\(text)\"\(readout.attributes)>\(circle)/></a>"
    }

    /// A flag on the axis where actions began.
    private func flag(_ mark: HistoryMark) -> String {
        let (x, foot) = (SVGText.number(layout.x(mark.start)), SVGText.number(layout.bottom))
        let (height, length) = (layout.isCompact ? 13 : 17, layout.isCompact ? 7 : 9)
        let cloth = layout.isCompact ? 7 : 9
        let path = "M\(x) \(foot)v-\(height)l\(length) \(cloth / 2)l-\(length) \(cloth - cloth / 2)"
        let text = SVGText.escaped(words.begun(mark))
        return "<g role=\"img\" aria-label=\"\(text)\"><title>\(text)</title>"
            + "<path d=\"\(path)\" stroke-width=\"1.5\" stroke-linejoin=\"round\" \(paint(.mark))/></g>"
    }

    /// The previous year as a thin line, labelled if there is room.
    private func earlierYear() -> [String] {
        let places = layout.points.compactMap { point in
            earlier(point).map {
                EarlierPosition(x: layout.x(point.start), y: layout.y($0.happiness), mainY: layout.y(point.happiness))
            }
        }
        guard !places.isEmpty else { return [] }
        let line = MonotoneCurve.path(through: places.map { MonotoneCurve.Point(x: $0.x, y: $0.y) })
        let name = EarlierName(width: SVGText.width(of: words.earlier, fontSize: layout.labelSize), layout: layout)
        let at = name.place(among: places)
        let dots = places.map { place in
            let numbers = [("cx", place.x), ("cy", place.y), ("r", min(layout.dotRadius, 2)), ("stroke-width", 0)]
            return "<circle \(attributes(numbers)) \(paint(.earlierDot))/>"
        }
        return ["<path d=\"\(line)\" fill=\"none\" stroke-width=\"1.5\" \(paint(.earlier))/>"] + dots + [
            text(words.earlier, x: at.x, y: at.y, size: layout.labelSize, as: .text, anchor: "middle")
        ]
    }

    /// The last dot, larger, with its value on a badge to its right, where there is nothing else.
    private func latest(_ point: HistoryPoint) -> [String] {
        let position = position(point)
        let fontSize = layout.badgeSize
        let value = words.value(point.happiness)
        let (width, height) = (SVGText.width(of: value, fontSize: fontSize) + 12, fontSize + 9)
        let x = position.x + (layout.isCompact ? 9 : 12)
        // High enough not to touch the label below the axis.
        let y = min(position.y - height / 2, layout.bottom + 6 - height)
        return [
            dot(point, radius: layout.isCompact ? 5 : 6.5),
            "<rect \(attributes([("x", x), ("y", y), ("width", width), ("height", height), ("rx", height / 2)])) "
                + "\(paint(.badge))/>",
            text(
                value, x: x + width / 2, y: y + height / 2 + fontSize * 0.36, size: fontSize, as: .onBadge,
                anchor: "middle", isBold: true),
        ]
    }
}
