import Services

/// Compares a team's last closed sprints with those before them, without hiding the uncertainty.
struct TeamTrend: Sendable {
    /// Number of sprints on each side.
    let count: Int
    private let now: PossibleMean
    private let before: PossibleMean

    /// Maximum number of sprints on each side: more would hide changes within them.
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

    /// Sentences: the two values, whether they differ, and how many voted.
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
