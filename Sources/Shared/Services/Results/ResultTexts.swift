package import Domain

/// A sprint's published state in plain sentences, for pages and mails: its uncertainty, and what is withheld and why.
package struct ResultTexts: Sendable {
    private let words: LocalizedTexts
    private let publication: Publication
    /// The current number of members.
    private let memberCount: Int

    /// Words for one publication.
    /// - Parameter memberCount: the current number of members.
    package init(words: LocalizedTexts, publication: Publication, memberCount: Int) {
        self.words = words
        self.publication = publication
        self.memberCount = memberCount
    }

    private var sprint: Sprint { publication.sprint }
    private var threshold: [String: String] { ["k": String(sprint.threshold)] }

    /// Sentences about the value, or why there is none, about voters who may be new in the team, and about an import.
    package func summary(_ possible: PossibleMean?) -> [String] {
        var result = possible.map(published) ?? withheld
        if publication.joined > 0 {
            result.append(
                words.text("live.joined", count: publication.joined, ["count": words.number(publication.joined)]))
        }
        if sprint.isImported { result.append(words.text("sprint.imported")) }
        return result
    }

    /// How many votes the value contains, and when it is updated.
    private func published(_ possible: PossibleMean) -> [String] {
        let counts = ["votes": words.number(possible.votes), "people": words.number(possible.people)]
        if publication.isClosed {
            guard possible.missing > 0 else { return [words.text("live.everybody")] }
            return [words.text("live.answered", count: possible.votes, counts)]
        }
        let answers = words.text("live.answersSoFar", count: possible.votes, counts)
        switch sprint.policy {
        case .immediate: return [answers, words.text("live.atOnce")]
        case .live, .close: return [answers, words.text("live.inGroups", threshold)]
        }
    }

    /// Why there is no value, and when there will be one.
    private var withheld: [String] {
        // Without protection every vote is published, so there was none.
        if publication.isClosed, sprint.policy == .immediate { return [words.text("live.nobodyVoted")] }
        if publication.isClosed { return [words.text("live.tooFew", threshold)] }
        if sprint.policy == .immediate { return [words.text("live.noVoteYet"), words.text("live.atOnce")] }
        if memberCount < sprint.threshold {
            let values = threshold.merging(["people": words.number(memberCount)]) { $1 }
            return [words.text("live.smallTeam", count: memberCount, values)]
        }
        let first = sprint.threshold * 2
        let occasion =
            sprint.policy == .live && first <= memberCount
            ? words.text("live.firstResult", threshold.merging(["first": String(first)]) { $1 })
            : words.text("live.resultAtEnd", threshold)
        return [occasion, words.text("live.nobodySees")]
    }

    /// How the missing votes can still change the value.
    package func range(_ possible: PossibleMean) -> String {
        // Rounded outwards, so that the statement stays true.
        let values = [
            "missing": words.number(possible.missing), "people": words.number(possible.people),
            "lowest": words.happiness((possible.lowest * 10).rounded(.down) / 10),
            "highest": words.happiness((possible.highest * 10).rounded(.up) / 10),
        ]
        return publication.isClosed
            ? words.text("live.closedRange", count: possible.missing, values)
            : words.text("live.range", count: possible.missing, values)
    }

    /// How sentences refer to the previous sprint.
    package enum Previous: Sendable {
        /// “Last sprint”, on the page about the present.
        case last
        /// “The sprint before”, wherever the sprint itself may be over.
        case before
    }

    /// Compares the sprint with the previous one, and says if that was imported.
    /// - Returns: `nil` if nothing of the previous sprint is published.
    package func comparison(of now: PossibleMean, with previous: Publication?, called name: Previous) -> String? {
        // During its grace period the previous sprint is not closed yet, and its answers are not complete.
        guard let previous, let before = PossibleMean(previous, memberCount: memberCount) else { return nil }
        let change = change(of: now, since: before, in: previous, called: name)
        guard previous.sprint.isImported else { return change }
        return "\(change) " + words.text("live.beforeImported")
    }

    /// The comparison in one line, for people without statistics.
    /// - Returns: `nil` if nothing of the previous sprint is published.
    package func change(of now: PossibleMean, since previous: Publication?) -> String? {
        guard let previous, let before = PossibleMean(previous, memberCount: memberCount) else { return nil }
        return certainty(of: now, since: before, in: previous)
            .plain(from: before.mean, to: now.mean, words: words)
    }

    /// The direction of a change that is certain or probable; `nil` if it is unclear, rounded away, or there is nothing
    /// to compare with.
    package func direction(of now: PossibleMean, since previous: Publication?) -> PossibleMean.Change? {
        guard let previous, let before = PossibleMean(previous, memberCount: memberCount),
            words.happiness(now.mean) != words.happiness(before.mean)
        else { return nil }
        return certainty(of: now, since: before, in: previous).change
    }

    /// What the word "certain" means in that line; `nil` if the line does not say it.
    package func limits(of now: PossibleMean, since previous: Publication?) -> String? {
        guard let previous, let before = PossibleMean(previous, memberCount: memberCount),
            words.happiness(now.mean) != words.happiness(before.mean),
            case .certain = certainty(of: now, since: before, in: previous)
        else { return nil }
        return words.text("certainty.limits")
    }

    /// The share of the members whose answer is in the value: `67%`.
    package func participation(_ possible: PossibleMean) -> String { words.percent(possible.share) }

    private func certainty(
        of now: PossibleMean, since before: PossibleMean, in previous: Publication
    ) -> Certainty {
        Certainty(of: now, since: before, evidence: Evidence(answersOf: publication, since: previous))
    }

    private func change(
        of now: PossibleMean, since before: PossibleMean, in previous: Publication, called name: Previous
    ) -> String {
        let value = words.happiness(before.mean)
        func text(_ key: String, _ evidence: Evidence? = nil) -> String {
            words.text(key, ["value": value].merging(evidence?.values(words) ?? [:]) { $1 })
        }
        let isSame = words.happiness(now.mean) == value
        // Otherwise the sentence would mention missing answers that do not exist.
        let isComplete = now.missing == 0 && before.missing == 0
        switch (certainty(of: now, since: before, in: previous), name) {
        // First, since nobody sees a difference that is rounded away.
        case (_, .last) where isSame: return text("live.same")
        case (_, .before) where isSame: return text("sprint.same")
        case (.certain(.rise), .last) where isComplete: return text("live.more")
        case (.certain(.rise), .before) where isComplete: return text("sprint.higher")
        case (.certain(.fall), .last) where isComplete: return text("live.less")
        case (.certain(.fall), .before) where isComplete: return text("sprint.lower")
        case (.certain(.rise), .last): return text("live.rise")
        case (.certain(.rise), .before): return text("sprint.rise")
        case (.certain(.fall), .last): return text("live.fall")
        case (.certain(.fall), .before): return text("sprint.fall")
        case (.probable(.rise, let evidence), .last): return text("live.probableRise", evidence)
        case (.probable(.rise, let evidence), .before): return text("sprint.probableRise", evidence)
        case (.probable(.fall, let evidence), .last): return text("live.probableFall", evidence)
        case (.probable(.fall, let evidence), .before): return text("sprint.probableFall", evidence)
        case (.unclear, .last): return text("live.noChange")
        case (.unclear, .before): return text("sprint.noChange")
        }
    }
}

extension Evidence {
    /// The placeholders of the sentences that name it.
    package func values(_ words: LocalizedTexts) -> [String: String] { ["times": words.number(times)] }
}
