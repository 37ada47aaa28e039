import Domain
import Services

/// Texts of a history.
struct HistoryTexts {
    let words: LocalizedTexts
    let team: Team

    /// `Latest: 7.4 (9–22 November, still running, 6 of 9 answers).`
    func latest(_ publication: Publication) -> String {
        let values = [
            "dates": sprintWords.dates(of: publication.sprint), "value": words.happiness(publication.happiness ?? 0),
            "votes": words.number(publication.votes),
            // Someone who voted may have left.
            "people": words.number(max(publication.eligible ?? team.memberCount, publication.votes)),
        ]
        return publication.isClosed
            ? words.text("history.latest", values) : words.text("history.latestRunning", values)
    }

    /// A sprint in a list of sprints, by its days.
    func option(_ publication: Publication, isChosen: Bool) -> HistoryPage.Option {
        let sprint = publication.sprint
        return HistoryPage.Option(
            label: sprint.label.description, dates: sprintWords.shortDatesWithYear(of: sprint), isChosen: isChosen)
    }

    private var sprintWords: SprintTexts { SprintTexts(words: words, zone: team.settings.zone) }

    /// Why a team has no history yet.
    var nothingYet: [String] {
        [
            words.text("history.nothingYet"),
            words.text("history.nothingYetRule", ["k": String(team.settings.threshold)]),
        ]
    }

    /// A row of the table.
    /// - Parameter before: sprints of the previous year by their label.
    func row(_ publication: Publication, yearBefore before: [SprintLabel: Publication]) -> HistoryPage.Row {
        let label = publication.sprint.label
        let earlier = before[label.yearBefore]
        return HistoryPage.Row(
            label: label.description, address: .sprint(label, of: team.id),
            dates: sprintWords.shortDates(of: publication.sprint),
            value: words.happiness(publication.happiness ?? 0), answers: answers(publication),
            yearBefore: earlier?.happiness.map(words.happiness) ?? "–",
            isYearBeforeImported: earlier?.sprint.isImported == true, isRunning: !publication.isClosed,
            isImported: publication.sprint.isImported)
    }

    private func answers(_ publication: Publication) -> String {
        let values = [
            "votes": words.number(publication.votes),
            "people": words.number(publication.eligible ?? publication.votes),
        ]
        return publication.isClosed
            ? words.text("history.answers", values) : words.text("history.answersRunning", values)
    }
}

extension LocalizedTexts {
    /// How many of the results beside the sentence another tool counted.
    /// - Returns: `nil` for none.
    func imported(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        return text("history.importedAmong", count: count, ["count": String(count)])
    }
}
