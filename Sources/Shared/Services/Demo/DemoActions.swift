import Domain
import Storage

/// Actions that the demo team agreed on over the last sprints.
struct DemoActions {
    private struct Card {
        let title: String
        var notes = ""
        /// The feedback that led to the action, if any.
        var quote: String?
        /// The name of a demo member.
        var assignee: String?
        /// Days from today.
        var dueInDays: Int?
        let state: Action.State
        /// Number of sprints ago; 0 is the running one.
        let made: Int
        /// Number of sprints ago; `nil` for an action that has not begun.
        var began: Int?
    }

    private static let cards = [
        Card(
            title: "Freeze the release two days earlier",
            notes: "Nothing new after Tuesday noon. What is not ready waits for the next release.",
            quote: "The release was stressful. We need an earlier freeze.", assignee: "clara", dueInDays: 9,
            state: .toDo, made: 0),
        Card(
            title: "Agree on what “done” means, on one page",
            quote: "Our definition of done is not clear to me.", assignee: "ben", dueInDays: 16, state: .toDo, made: 0),
        Card(
            title: "An hour a week for learning", notes: "Try it for two sprints, then ask again.", state: .toDo,
            made: 1),
        Card(
            title: "First answer to a code review within a day",
            notes: "The first thing in the morning: look at open reviews.",
            quote: "Code reviews take too long, my branches get old.", assignee: "anna", dueInDays: -2,
            state: .inProgress, made: 2, began: 1),
        Card(
            title: "One person at a time takes urgent requests",
            quote: "We were interrupted a lot by urgent requests.", assignee: "demo", dueInDays: 5, state: .inProgress,
            made: 1, began: 0),
        Card(
            title: "A second test system", notes: "Waits for the budget of the next quarter.",
            quote: "The test system was down for two days, that was annoying.", assignee: "david", state: .onHold,
            made: 4, began: 3),
        Card(title: "Tuesday without meetings", assignee: "emma", state: .done, made: 8, began: 7),
        Card(
            title: "Shorter daily: fifteen minutes, standing", notes: "Details go to those who need them, afterwards.",
            assignee: "felix", state: .done, made: 14, began: 13),
    ]

    /// - Parameters:
    ///   - sprints: the team's, in order of start, the running one last.
    ///   - userIDs: the members' ids by name.
    static func add(
        to team: Team, sprints: [Sprint], userIDs: [String: User.ID], today: CalendarDay, in store: any Store
    ) async throws {
        let latestFirst = sprints.reversed().map { ActionSprint($0) }
        for card in cards where latestFirst.indices.contains(card.made) {
            let action = Action(
                teamID: team.id,
                content: ActionContent(
                    title: card.title, notes: card.notes, quote: card.quote, quoteReaders: .team,
                    assignee: card.assignee.flatMap { userIDs[$0] },
                    due: card.dueInDays.map { today.adding(days: $0) }),
                state: card.state, made: latestFirst[card.made], began: card.began.map { latestFirst[$0] })
            try await store.transaction { try $0.add(action, at: .last) }
        }
    }
}
