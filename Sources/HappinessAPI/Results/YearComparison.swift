import Domain
import Services

/// Compares a range of sprints with the same sprints of the previous year.
struct YearComparison: Sendable {
    /// Number of closed sprints in the range that have a closed sprint of the same number in the previous year.
    let count: Int
    /// The combined votes of these sprints.
    let now: PossibleMean
    /// The combined votes of the previous year's sprints.
    let before: PossibleMean
    /// How certain it is that the two differ.
    let certainty: Certainty
    /// Number of results, of both years, that another tool counted.
    let importedCount: Int

    /// - Parameter part: a range of `history`.
    /// - Returns: `nil` if there is no sprint to compare.
    init?(of part: [Publication], in history: [Publication]) {
        let pairs = Self.pairs(of: part, in: history).filter { $0.now.isClosed && $0.before.isClosed }
        guard let now = PossibleMean(pooling: pairs.map(\.now)),
            let before = PossibleMean(pooling: pairs.map(\.before))
        else { return nil }
        count = pairs.count
        self.now = now
        self.before = before
        certainty = Certainty(of: now, since: before, evidence: Evidence(sameSprints: pairs))
        importedCount = pairs.flatMap { [$0.now, $0.before] }.count { $0.sprint.isImported }
    }

    /// Pairs each published sprint of the range with the published one of the same number a year before.
    static func pairs(of part: [Publication], in history: [Publication]) -> [(now: Publication, before: Publication)] {
        let byLabel = Dictionary(
            history.filter(\.isPublished).map { ($0.sprint.label, $0) }, uniquingKeysWith: { first, _ in first })
        return part.filter(\.isPublished).compactMap { publication in
            byLabel[publication.sprint.label.yearBefore].map { (publication, $0) }
        }
    }

    /// The change in one line, for people without statistics.
    func plain(_ words: LocalizedTexts) -> String {
        certainty.plain(from: before.mean, to: now.mean, words: words)
    }

    /// Sentences: the two values, how certain it is that they differ, how many voted, and how many results were
    /// imported.
    func sentences(_ words: LocalizedTexts) -> [String] {
        let values = [
            "count": String(count), "now": words.happiness(now.mean), "before": words.happiness(before.mean),
            "share": words.percent(now.share), "shareBefore": words.percent(before.share),
        ]
        // Otherwise the sentence would mention missing answers that do not exist.
        let isComplete = now.missing == 0 && before.missing == 0
        let verdict =
            switch certainty {
            // First, since nobody sees a difference that is rounded away.
            case _ where values["now"] == values["before"]: words.text("history.yearSame", values)
            case .certain(.rise) where isComplete: words.text("history.yearRiseOfAll")
            case .certain(.fall) where isComplete: words.text("history.yearFallOfAll")
            case .certain(.rise): words.text("history.yearRise", values)
            case .certain(.fall): words.text("history.yearFall", values)
            case .probable(.rise, let evidence): words.text("history.yearProbableRise", evidence.values(words))
            case .probable(.fall, let evidence): words.text("history.yearProbableFall", evidence.values(words))
            case .unclear: words.text("history.yearNoChange", values)
            }
        let both = words.text("history.yearBoth", count: count, values)
        let answers = words.text("history.yearAnswers", values)
        return [both, verdict, answers, words.imported(importedCount)].compactMap(\.self)
    }
}
