import Domain
import Services

/// Compares a team's last closed sprints with those before them, and says how certain a change is.
struct TeamTrend: Sendable {
    /// Number of sprints on each side.
    let count: Int
    private let now: PossibleMean
    private let before: PossibleMean
    /// The trend of more sprints, if there probably is one.
    private let trend: SprintTrend?
    /// Number of imported results among those compared, and among those of the trend.
    private let importedCompared: Int
    private let importedInTrend: Int

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
        trend = SprintTrend(history)
        importedCompared = published.suffix(2 * count).count { $0.sprint.isImported }
        importedInTrend = history.filter(\.isClosed).suffix(SprintTrend.period)
            .count { $0.isPublished && $0.sprint.isImported }
    }

    /// Number of results behind the sentences that another tool counted.
    var importedCount: Int {
        guard case .probable = certainty else { return importedCompared }
        // One of the two ranges contains the other.
        return max(importedCompared, importedInTrend)
    }

    /// How certain a change is: of the sprints on both sides by their bounds, of more sprints by their trend.
    var certainty: Certainty { Certainty(of: now, since: before, evidence: trend?.evidence) }

    /// The change in one line, for people without statistics.
    func plain(_ words: LocalizedTexts) -> String {
        if case .probable(let change, _) = certainty, let trend {
            let values = ["size": words.happiness(abs(trend.size)), "sprints": String(trend.sprints)]
            return change == .rise
                ? words.text("certainty.trendRise", values) : words.text("certainty.trendFall", values)
        }
        return certainty.plain(from: before.mean, to: now.mean, words: words)
    }

    /// Sentences: the two values, how certain a change is, how many voted, and how many results were imported.
    func sentences(_ words: LocalizedTexts) -> [String] {
        let values = [
            "count": String(count), "now": words.happiness(now.mean), "before": words.happiness(before.mean),
            "share": words.percent(now.share), "shareBefore": words.percent(before.share),
        ]
        // Otherwise the sentence would mention missing answers that do not exist.
        let isComplete = now.missing == 0 && before.missing == 0
        let isSame = values["now"] == values["before"]
        let verdict =
            switch certainty {
            // Nobody sees a difference that is rounded away.
            case .certain where isSame: words.text("manage.same")
            case .certain(.rise) where isComplete: words.text("manage.riseOfAll")
            case .certain(.fall) where isComplete: words.text("manage.fallOfAll")
            case .certain(.rise): words.text("manage.rise")
            case .certain(.fall): words.text("manage.fall")
            case .probable(.rise, _): words.text("manage.probableRise", trend?.values(words) ?? [:])
            case .probable(.fall, _): words.text("manage.probableFall", trend?.values(words) ?? [:])
            case .unclear: isSame ? words.text("manage.same") : words.text("manage.noChange")
            }
        let sentences = [
            count == 1 ? words.text("manage.trendOfOne", values) : words.text("manage.trend", values), verdict,
            words.text("manage.answers", values),
        ]
        return sentences + [words.imported(importedCount)].compactMap(\.self)
    }
}

extension SprintTrend {
    /// The placeholders of the sentences that name it: sizes without sign, the smaller one first.
    fileprivate func values(_ words: LocalizedTexts) -> [String: String] {
        let ends = evidence.change == .rise ? sizes : -sizes.upperBound...(-sizes.lowerBound)
        let sizes = [
            "sprints": String(sprints), "size": words.happiness(abs(size)),
            // An interval may reach a little beyond 0, which is shown as 0.
            "least": words.happiness(ends.lowerBound), "most": words.happiness(ends.upperBound),
        ]
        return evidence.values(words).merging(sizes) { $1 }
    }
}
