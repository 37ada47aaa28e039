import Domain
import Services

/// The data of `templates/partials/first-steps.mustache`: a page has it as `firstSteps`.
struct FirstStepsCard: Sendable {
    let title: String
    private(set) var steps: [Step]

    struct Step: Sendable {
        let label: String
        /// The progress; empty if there is nothing to say.
        let progress: String
        /// The page for this step; `nil` if nothing is left to do there.
        let address: SitePath?
        let isDone: Bool
    }

    init(_ steps: FirstSteps, words: LocalizedTexts) {
        title = words.text("firstSteps.title", ["team": steps.teamName])
        let people = steps.people >= FirstSteps.peopleWanted
        let hasTest = steps.reminderTest == .accepted
        self.steps = [
            Step(
                label: words.text("firstSteps.rules"), progress: "",
                address: .teamSettings(of: steps.teamID), isDone: true),
            Step(
                label: words.text("firstSteps.invite"),
                progress: people
                    ? ""
                    : words.text(
                        "firstSteps.people",
                        ["count": String(steps.people), "wanted": String(FirstSteps.peopleWanted)]),
                address: people ? nil : SitePath.members(of: steps.teamID).at("invitations"), isDone: people),
            Step(
                label: words.text("firstSteps.test"), progress: Self.progress(of: steps.reminderTest, words),
                address: hasTest ? nil : SitePath.reminders(of: steps.teamID).at("test"), isDone: hasTest),
            Step(
                label: words.text("firstSteps.vote"), progress: "",
                address: steps.hasVoted ? nil : SitePath.vote(of: steps.teamID), isDone: steps.hasVoted),
        ]
    }

    /// The same with other steps after those of the team.
    func adding(_ others: [Step]) -> FirstStepsCard {
        var card = self
        card.steps += others
        return card
    }

    /// The same with a link to the page that shows how the server does, for a lead who is an admin, too.
    func leadingToServer(_ words: LocalizedTexts) -> FirstStepsCard {
        adding([Step(label: words.text("firstSteps.server"), progress: "", address: .admin, isDone: false)])
    }

    private static func progress(of test: ReminderTest, _ words: LocalizedTexts) -> String {
        switch test {
        case .open, .accepted: ""
        case .onItsWay: words.text("firstSteps.testOnItsWay")
        case .kept: words.text("firstSteps.testKept")
        case .failed: words.text("firstSteps.testFailed")
        }
    }
}
