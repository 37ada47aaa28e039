import Domain
import Mail
import Services
import Storage

/// Writes a sprint's result as its page shows it to a member: published states only, and nothing about who voted.
struct ResultMailWriter: Sendable {
    /// Feedback texts per mail: enough to start a talk. All readers get the same ones, the first by their random ids.
    static let feedbackCount = 3
    /// Maximum length of a feedback text in characters; the page has the rest.
    static let feedbackLength = 300
    /// Actions per list.
    static let actionCount = 10

    let stores: Stores
    let publications: PublicationService
    let catalog: TextCatalog

    /// Whether there is a result to mail: final, and of at least as many votes as the team promised.
    static func isShown(_ record: SprintRecord) -> Bool {
        record.state.isClosed && record.state.published.count >= record.sprint.threshold
    }

    /// - Returns: `nil` if nothing may be shown.
    /// - Throws: `StorageError.unavailable`.
    func result(
        of record: SprintRecord, for membership: Membership, in team: Team, locale: String
    ) async throws -> ResultsMail.Result? {
        let publication = Publication(record)
        guard Self.isShown(record), let value = publication.happiness,
            let possible = PossibleMean(publication, memberCount: team.memberCount)
        else { return nil }
        try await TextFeed(catalog: catalog, store: stores.rows).refresh()
        let words = catalog.words(in: MailLocale(tag: locale))
        let before = try await publications.publication(before: record.sprint)
        let result = ResultTexts(words: words, publication: publication, memberCount: team.memberCount)
        let begun = try await begunActions(in: record.sprint)
        let story = ResultStory(
            publication, before: before, begun: begun, memberCount: team.memberCount, words: words)
        return ResultsMail.Result(
            dates: SprintTexts(words: words, zone: team.settings.zone).dates(of: record.sprint),
            value: words.happiness(value),
            summary: [story?.participation].compactMap(\.self) + result.summary(possible),
            certainty: Self.certainty(possible, since: before, result, words),
            begunActions: begun.map(\.title),
            openActions: try await openActions(of: team.id, after: record.sprint),
            feedback: try await feedback(in: publication, for: membership), change: story?.change,
            shape: story?.distribution.map { Self.shape($0, words) }, moved: story?.moved,
            question: story?.question ?? words.text("story.question"))
    }

    /// `5: 1, 7: 4`, as screen readers read the distribution of the page.
    private static func shape(_ distribution: [Int], _ words: LocalizedTexts) -> String {
        let columns = distribution.enumerated().filter { $0.element > 0 }.map { value, count in
            words.text("sprint.column", ["value": String(value), "count": String(count)])
        }
        return "\(words.text("sprint.distributionText")) \(columns.joined(separator: ", "))"
    }

    /// The sentences behind “How do we know?”.
    private static func certainty(
        _ possible: PossibleMean, since before: Publication?, _ result: ResultTexts, _ words: LocalizedTexts
    ) -> [String] {
        let range = possible.missing > 0 ? result.range(possible) : words.text("live.settled")
        let comparison = result.comparison(of: possible, with: before, called: .before)
        return [range] + [comparison, result.limits(of: possible, since: before)].compactMap { $0 }
    }

    private func begunActions(in sprint: Sprint) async throws -> [BegunAction] {
        try await stores.read { try $0.begunActions(of: sprint.teamID, in: sprint.start, limit: Self.actionCount) }
    }

    /// Actions that are not done, those in progress first, without those that began in the sprint.
    private func openActions(of teamID: Team.ID, after sprint: Sprint) async throws -> [String] {
        var open: [Action] = []
        for state in [Action.State.inProgress, .onHold, .toDo] {
            open += try await stores.read { try $0.actions(of: teamID, state: state, limit: Action.maximumOpen) }
        }
        return open.filter { $0.began?.start != sprint.start }.prefix(Self.actionCount).map(\.content.title)
    }

    private func feedback(in publication: Publication, for membership: Membership) async throws -> [String] {
        guard try await publications.mayReadFeedback(of: publication.sprint, membership) else { return [] }
        return try await publications.feedback(in: publication, for: membership, limit: Self.feedbackCount).map {
            $0.text.count > Self.feedbackLength ? String($0.text.prefix(Self.feedbackLength - 1)) + "…" : $0.text
        }
    }
}
