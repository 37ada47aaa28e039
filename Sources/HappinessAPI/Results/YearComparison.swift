import Shared

/// A stretch of sprints beside the same sprints of the year before.
struct YearComparison: Sendable {
    /// Closed sprints of the stretch that have a closed one of the same number a year before.
    let count: Int
    /// All answers of these together.
    let now: PossibleMean
    /// All answers of those a year before.
    let before: PossibleMean

    /// - Parameter part: of `history`.
    /// - Returns: `nil` without a sprint to compare.
    init?(of part: [Publication], in history: [Publication]) {
        let pairs = Self.pairs(of: part, in: history).filter { $0.now.isClosed && $0.before.isClosed }
        guard let now = PossibleMean(pooling: pairs.map(\.now)),
            let before = PossibleMean(pooling: pairs.map(\.before))
        else { return nil }
        count = pairs.count
        self.now = now
        self.before = before
    }

    /// Published sprints of the part with the published one of the same name a year before.
    static func pairs(
        of part: [Publication], in history: [Publication]
    ) -> [(now: Publication, before: Publication)] {
        let byLabel = Dictionary(
            history.filter(\.isPublished).map { ($0.sprint.label, $0) }, uniquingKeysWith: { first, _ in first })
        return part.filter(\.isPublished).compactMap { publication in
            byLabel[publication.sprint.label.yearBefore].map { (publication, $0) }
        }
    }

    /// What it says, in sentences: the two values, whether that is a change, and how many answered.
    func sentences(_ words: PageWords) -> [String] {
        let values = [
            "count": String(count), "now": words.happiness(now.mean), "before": words.happiness(before.mean),
            "votes": String(now.votes), "people": String(now.people), "votesBefore": String(before.votes),
            "peopleBefore": String(before.people),
        ]
        let verdict =
            switch now.change(since: before) {
            case .rise: words.text("history.yearRise", values)
            case .fall: words.text("history.yearFall", values)
            case nil:
                values["now"] == values["before"]
                    ? words.text("history.yearSame", values) : words.text("history.yearNoChange", values)
            }
        let both = words.text("history.yearBoth", count: count, values)
        return [both, verdict, words.text("history.yearAnswers", count: now.votes, values)]
    }
}
