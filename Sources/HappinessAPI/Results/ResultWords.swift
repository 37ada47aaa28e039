import Services

/// A sprint's published state in plain sentences: its uncertainty, and what is withheld and why.
struct ResultWords: Sendable {
    let words: PageWords
    let publication: Publication
    /// The current number of members.
    let memberCount: Int

    private var sprint: Sprint { publication.sprint }
    private var threshold: [String: String] { ["k": String(sprint.threshold)] }

    /// Sentences about the value, or why there is none, and about voters who may be new in the team.
    func summary(_ possible: PossibleMean?) -> [String] {
        let result = possible.map(published) ?? withheld
        guard publication.joined > 0 else { return result }
        return result + [words.text("live.joined", count: publication.joined, ["count": String(publication.joined)])]
    }

    /// How many votes the value contains, and when it is updated.
    private func published(_ possible: PossibleMean) -> [String] {
        let counts = ["votes": String(possible.votes), "people": String(possible.people)]
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
        if publication.isClosed { return [words.text("live.tooFew", threshold)] }
        if sprint.policy == .immediate { return [words.text("live.noVoteYet"), words.text("live.atOnce")] }
        if memberCount < sprint.threshold {
            let values = threshold.merging(["people": String(memberCount)]) { $1 }
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
    func range(_ possible: PossibleMean) -> String {
        // Rounded outwards, so that the statement stays true.
        let values = [
            "missing": String(possible.missing),
            "lowest": words.happiness((possible.lowest * 10).rounded(.down) / 10),
            "highest": words.happiness((possible.highest * 10).rounded(.up) / 10),
        ]
        return publication.isClosed
            ? words.text("live.closedRange", count: possible.missing, values)
            : words.text("live.range", count: possible.missing, values)
    }

    /// Compares the sprint with the previous one; a difference that the missing votes could reverse is not reported.
    func comparison(of now: PossibleMean, with before: PossibleMean) -> String {
        let values = ["value": words.happiness(before.mean)]
        let isSettled = now.missing == 0 && before.missing == 0
        switch now.change(since: before) {
        case .rise: return isSettled ? words.text("live.more", values) : words.text("live.rise", values)
        case .fall: return isSettled ? words.text("live.less", values) : words.text("live.fall", values)
        case nil:
            return words.happiness(now.mean) == values["value"]
                ? words.text("live.same", values) : words.text("live.noChange", values)
        }
    }
}
