package import Domain

/// The result of a sprint, sent to a member who asked for it. It contains what the sprint's page shows them.
package struct ResultsMail: MailContent {
    package static let kind = MailKind.results
    /// The user's results.
    package static let subscription: MailSubscription? = .results
    /// The name in the greeting.
    package let userName: String
    package let teamName: String
    /// The same for the subject.
    package let teamInSubject: String?
    /// The sprint's days.
    package let dates: String
    /// The team's happiness: `7.4`.
    package let value: String
    /// The change since the sprint before, in one line.
    package let change: String?
    /// Sentences about participation.
    package let summary: [String]
    /// The number of answers for each value, as text; `nil` if it is withheld.
    package let shape: String?
    /// Whether the value moved in the sprint in which the actions began.
    package let moved: String?
    /// A question for the retrospective.
    package let question: String
    /// Sentences about how certain the value is.
    package let certainty: [String]
    /// Titles of the actions that began in the sprint.
    package let begunActions: [String]
    /// Titles of the actions that are not done.
    package let openActions: [String]
    /// Some of the published feedback; empty if the member may not read it.
    package let feedback: [String]
    /// The same, line by line.
    package let feedbackParagraphs: [MailParagraph]
    package let link: String?
    /// Whether there is a list to show.
    package let hasBegunActions: Bool
    /// Whether there is a list to show.
    package let hasOpenActions: Bool
    /// Whether there is a list to show.
    package let hasFeedback: Bool

    /// A published result, in the recipient's language.
    package struct Result: Sendable {
        /// The sprint's days.
        package var dates: String
        /// The team's happiness: `7.4`.
        package var value: String
        /// Sentences about participation.
        package var summary: [String]
        /// Sentences about how certain the value is.
        package var certainty: [String]
        /// Titles of the actions that began in the sprint.
        package var begunActions: [String]
        /// Titles of the actions that are not done.
        package var openActions: [String]
        /// Some of the published feedback.
        package var feedback: [String]
        /// The change since the sprint before, in one line.
        package var change: String?
        /// The number of answers for each value, as text; `nil` if it is withheld.
        package var shape: String?
        /// Whether the value moved in the sprint in which the actions began.
        package var moved: String?
        /// A question for the retrospective.
        package var question: String

        /// Takes the texts as the mail shows them.
        package init(
            dates: String, value: String, summary: [String], certainty: [String],
            begunActions: [String] = [], openActions: [String] = [], feedback: [String] = [],
            change: String? = nil, shape: String? = nil, moved: String? = nil, question: String = ""
        ) {
            self.dates = dates
            self.value = value
            self.summary = summary
            self.certainty = certainty
            self.begunActions = begunActions
            self.openActions = openActions
            self.feedback = feedback
            self.change = change
            self.shape = shape
            self.moved = moved
            self.question = question
        }
    }

    /// - Parameters:
    ///   - result: no action and no feedback becomes a link: its writer would learn who reads it.
    ///   - link: the sprint's page. It contains no secret.
    package init(userName: String, teamName: String, result: Result, link: String) {
        self.userName = userName.unlinked
        self.teamName = teamName.unlinked
        teamInSubject = teamName.inSubject
        dates = result.dates
        value = result.value
        change = result.change
        summary = result.summary
        shape = result.shape
        moved = result.moved
        question = result.question
        certainty = result.certainty
        begunActions = result.begunActions.map(\.unlinked)
        openActions = result.openActions.map(\.unlinked)
        feedback = result.feedback.map(\.unlinked)
        feedbackParagraphs = feedback.map(MailParagraph.init)
        self.link = link
        hasBegunActions = !begunActions.isEmpty
        hasOpenActions = !openActions.isEmpty
        hasFeedback = !feedback.isEmpty
    }
}
