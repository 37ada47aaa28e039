import Foundation

/// The sprints of a dump that can be stored.
struct ClassicResults {
    private(set) var past: [ClassicPlan.Result] = []
    private(set) var running: ClassicPlan.Result?
    /// The user names that voted in the running sprint, if that is moved.
    private(set) var voters: Set<String> = []
    private(set) var lines: [String] = []

    /// Years in which a sprint may be; earlier ones are typing errors.
    private static let firstYear = 2000

    /// What the documents of one sprint have together.
    private struct Sum {
        var votes = 0
        var tenths = 0
        var feedback: [FeedbackText] = []
        var names: Set<String> = []
    }

    init(_ dump: ClassicDump, zone: TimeZone, threshold: Int, at now: Date) {
        let present = SprintCalendar.isoFortnight.span(containing: now, in: zone)
        var sums: [SprintLabel: Sum] = [:]
        for (index, result) in dump.results.enumerated() {
            guard let name = result.sprint, let label = Self.label(name, month: result.month),
                (Self.firstYear...present.label.year).contains(label.year)
            else {
                let place = result.sprint.map { "happinesses \($0.shown)" } ?? "happinesses, document \(index + 1)"
                lines.append("\(place): sprint is not a name such as 2019/21 of a sprint until today. It is left out.")
                continue
            }
            if label.description != name {
                lines.append("happinesses \(name): it belongs to sprint \(label).")
            }
            add(result, called: name, to: &sums[label, default: Sum()])
        }
        let spans = Self.spans(from: sums.keys.map(\.year).min(), through: present, in: zone)
        for (label, sum) in sums where sum.votes > 0 {
            guard let span = spans[label] else {
                lines.append("happinesses \(label): the calendar has no such sprint yet. It is left out.")
                continue
            }
            guard sum.votes >= threshold else {
                let isRunning = span.start == present.start
                lines.append(
                    "happinesses \(label): votes is \(sum.votes), and no result of fewer than \(threshold) is shown. "
                        + (isRunning ? "It is left out; those who voted can vote again." : "It is left out."))
                continue
            }
            let result = ClassicPlan.Result(
                span: span, tally: Tally(count: sum.votes, sum: sum.tenths, distribution: Tally.empty.distribution),
                feedback: sum.feedback, eligible: Self.eligible(dump.people, at: span.end, votes: sum.votes))
            if span.start == present.start {
                running = result
                voters = Set(dump.votes.filter { sum.names.contains($0.sprint) }.map(\.username))
            } else {
                past.append(result)
            }
        }
        past.sort { $0.span.start < $1.span.start }
        // Those of sprints come from a dictionary.
        lines.sort()
    }

    /// The sprint that a document belongs to.
    ///
    /// The clients paired the calendar year with half the ISO week: around New Year one sprint could get the names
    /// `Y/26`, `Y/0`, `(Y+1)/0` and `(Y+1)/26`. The month tells in which year it was.
    private static func label(_ name: String, month: Int?) -> SprintLabel? {
        guard let label = SprintLabel(name), label.suffix.isEmpty else { return nil }
        switch (label.number, month) {
        case (0, let month): return SprintLabel(year: (month ?? 0) < 6 ? label.year - 1 : label.year, number: 26)
        case (26, 0?): return SprintLabel(year: label.year - 1, number: 26)
        default: return label
        }
    }

    private mutating func add(_ result: ClassicDump.Result, called name: String, to sum: inout Sum) {
        let place = "happinesses \(name)"
        sum.names.insert(name)
        guard let votes = result.votes, (1...1_000_000).contains(votes) else {
            let reason = result.votes == nil ? "votes is not a number" : "votes is \(result.votes ?? 0)"
            lines.append("\(place): \(reason). It is left out.")
            return
        }
        guard let total = result.happinesssum ?? result.happiness.map({ $0 * Double(votes) }),
            (0...Double(votes) * 10).contains(total)
        else {
            lines.append("\(place): happinesssum does not fit \(votes) votes from 0 to 10. It is left out.")
            return
        }
        let tenths = (total * 10).rounded()
        let mean = tenths / Double(votes * 10)
        // Sums of decimals in JavaScript have errors in the last digits.
        if abs(tenths / 10 - total) > 1e-6 {
            lines.append("\(place): happinesssum is \(total), which is not in tenths. The mean becomes \(mean).")
        } else if let happiness = result.happiness, abs(happiness - mean) > 1e-9 {
            lines.append("\(place): happiness is \(happiness), but happinesssum / votes is \(mean), which counts.")
        }
        sum.votes += votes
        sum.tenths += Int(tenths)
        addFeedback(of: result, at: place, to: &sum)
    }

    private mutating func addFeedback(of result: ClassicDump.Result, at place: String, to sum: inout Sum) {
        var (empty, cut) = (0, 0)
        for written in result.feedbacks {
            let scalars = written.unicodeScalars.filter { scalar in
                scalar.properties.generalCategory != .control || ["\n", "\r", "\t"].contains(scalar)
            }
            let text = String(String.UnicodeScalarView(scalars))
            // It throws for nothing but its length.
            if let feedback = try? FeedbackText(text) {
                sum.feedback.append(feedback)
            } else if text.count > FeedbackText.maximumLength,
                let feedback = try? FeedbackText(String(text.prefix(FeedbackText.maximumLength - 1)) + "…")
            {
                sum.feedback.append(feedback)
                cut += 1
            } else {
                empty += 1
            }
        }
        if empty > 0 { lines.append("\(place): feedbacks has \(empty) without a text. They are left out.") }
        if cut > 0 {
            lines.append(
                "\(place): feedbacks has \(cut) of more than \(FeedbackText.maximumLength) characters. They are cut.")
        }
    }

    private static func spans(
        from year: Int?, through present: SprintSpan, in zone: TimeZone
    ) -> [SprintLabel: SprintSpan] {
        guard let year, let first = CalendarDay("\(year)-01-01") else { return [:] }
        let spans = SprintCalendar.isoFortnight.spans(from: first.firstInstant(in: zone), until: present.end, in: zone)
        return Dictionary(spans.map { ($0.label, $0) }) { first, _ in first }
    }

    private static func eligible(_ people: [ClassicDump.Person], at end: Date, votes: Int) -> Int {
        max(votes, people.count { ($0.created ?? .distantPast) < end })
    }
}
