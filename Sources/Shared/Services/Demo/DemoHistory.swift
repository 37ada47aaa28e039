import Domain
import Foundation

/// Generated sprints of the demo team. A sprint's ballots and feedback depend only on its date, so two demos created on
/// different days show the same history.
struct DemoHistory {
    /// A closed sprint with its feedback.
    struct PastSprint {
        let record: SprintRecord
        let feedback: [FeedbackText]
    }

    private let team: Team
    private let members: Int

    /// - Parameter members: current number of members; the history starts with two fewer.
    init(team: Team, members: Int) {
        self.team = team
        self.members = members
    }

    /// The team's sprints that were over by `now`, closed and published by the product's own rules, in order of start.
    func sprints(before now: Date, years: Int) throws -> [PastSprint] {
        let settings = team.settings
        let running = settings.calendar.span(containing: now, in: settings.zone)
        let start = running.start.addingTimeInterval(-Double(years) * Self.daysPerYear * Self.secondsPerDay)
        let spans = settings.calendar.spans(from: start, until: running.start, in: settings.zone)
        return try spans.enumerated().map { index, span in
            let joined = 3 * index / spans.count
            return try pastSprint(span, eligible: members - 2 + joined)
        }
    }

    /// The ballots of a sprint, in the order in which they are cast.
    func ballots(in sprint: Sprint, count: Int) throws -> [Happiness] {
        var random = DemoRandom(seed: day(of: sprint.start).dayNumber)
        return try ballots(at: sprint.start, count: count, random: &random)
    }

    private func pastSprint(_ span: SprintSpan, eligible: Int) throws -> PastSprint {
        let sprint = Sprint(
            teamID: team.id, start: span.start, end: span.end, closes: span.end, label: span.label,
            threshold: team.settings.threshold, policy: team.settings.policy)
        var random = DemoRandom(seed: day(of: span.start).dayNumber)
        let count = turnout(of: span, eligible: eligible, random: &random)
        var state = PublicationState.initial
        for happiness in try ballots(at: span.start, count: count, random: &random) {
            state.count([happiness], policy: sprint.policy, threshold: sprint.threshold)
        }
        state.close(policy: sprint.policy, threshold: sprint.threshold)
        let texts =
            state.published == .empty ? [] : DemoFeedback.texts(month: day(of: span.start).month, random: &random)
        return PastSprint(
            record: SprintRecord(sprint: sprint, state: state, eligible: eligible),
            feedback: try texts.compactMap { try FeedbackText($0) })
    }

    /// Most members vote. Around Christmas too few do, so that the demo also has a sprint that stays unpublished.
    private func turnout(of span: SprintSpan, eligible: Int, random: inout DemoRandom) -> Int {
        let christmas = CalendarDay(year: day(of: span.start).year, month: 12, day: 25)
        if let christmas, span.contains(christmas.firstInstant(in: team.settings.zone)) {
            return team.settings.threshold - 1
        }
        return eligible - Int.random(in: 0...2, using: &random)
    }

    private func ballots(at start: Date, count: Int, random: inout DemoRandom) throws -> [Happiness] {
        let mood = mood(at: start) + Double.random(in: -0.3...0.3, using: &random)
        return try (0..<count).map { _ in
            // The mean of three draws: most members are near the team's mood, few far from it.
            let draws = (0..<3).map { _ in Double.random(in: -3.5...3.5, using: &random) }
            let value = mood + draws.reduce(0, +) / 3
            // Halves, as people choose them on a slider.
            let halves = (value * 2).rounded()
            return try Happiness(tenths: min(max(Int(halves) * 5, 0), 100))
        }
    }

    /// The team's average mood on the scale 0...10: a slow wave, better in summer, worse in November and February, and
    /// a difficult release in every third quarter.
    private func mood(at instant: Date) -> Double {
        let days = instant.timeIntervalSince1970 / Self.secondsPerDay
        let wave = 0.7 * sin(2 * .pi * days / 800)
        let month = day(of: instant).month
        let season: Double =
            switch month {
            case 2: -0.5
            case 5, 6: 0.3
            case 7, 8: 0.5
            case 11: -0.7
            default: 0
            }
        let isHardRelease = days.truncatingRemainder(dividingBy: 270) < 28
        return 7 + wave + season - (isHardRelease ? 1.4 : 0)
    }

    private func day(of instant: Date) -> CalendarDay {
        CalendarDay(instant: instant, in: team.settings.zone)
    }

    private static let daysPerYear = 365.25
    private static let secondsPerDay = 86_400.0
}
