import Shared

/// A team's last closed sprints beside those before them, in honest words.
struct TeamTrend: Sendable {
    /// Sprints on each side.
    let count: Int
    private let now: PossibleMean
    private let before: PossibleMean

    /// Sprints on each side at most: a season of fortnights would hide what changed within it.
    private static let maximumCount = 3

    /// - Parameter history: in order of start.
    /// - Returns: `nil` with fewer than two published, closed sprints.
    init?(_ history: [Publication]) {
        let published = history.filter { $0.isClosed && $0.isPublished }
        count = min(published.count / 2, Self.maximumCount)
        guard count > 0, let now = PossibleMean(pooling: published.suffix(count)),
            let before = PossibleMean(pooling: published.dropLast(count).suffix(count))
        else { return nil }
        self.now = now
        self.before = before
    }

    /// The two values, whether that is a change, and how many answered.
    func sentences(_ words: PageWords) -> [String] {
        let values = [
            "count": String(count), "now": words.happiness(now.mean), "before": words.happiness(before.mean),
            "votes": String(now.votes), "people": String(now.people), "votesBefore": String(before.votes),
            "peopleBefore": String(before.people),
        ]
        let verdict =
            switch now.change(since: before) {
            case .rise: words.text("manage.rise")
            case .fall: words.text("manage.fall")
            case nil: values["now"] == values["before"] ? words.text("manage.same") : words.text("manage.noChange")
            }
        return [
            count == 1 ? words.text("manage.trendOfOne", values) : words.text("manage.trend", values), verdict,
            words.text("manage.answers", values),
        ]
    }
}
