package import Foundation

/// What of the first system can be moved into a team, and a line for everything that cannot, or not as it was.
package struct ClassicPlan: Sendable {
    /// The accounts; names and addresses are unique among them when case-folded.
    package let people: [Person]
    /// The sprints that are over, by their start.
    package let past: [Result]
    /// The running sprint; `nil` if nobody has voted in it, or fewer than the threshold.
    package let running: Result?
    /// One line for an operator for each thing that is left out or changed.
    package let lines: [String]

    /// An account to be created.
    package struct Person: Sendable {
        /// The name in the first system, as votes refer to it.
        package let username: String
        /// The name here.
        package let name: UserName
        /// The e-mail address.
        package let email: EmailAddress
        /// `nil` if the person has to choose a new password.
        package let passwordHash: String?
        /// The address of the picture.
        package let picture: String?
        /// The phone.
        package let device: Device.Address?
        /// When the account was created; `nil` if unknown.
        package let created: Date?
        /// Whether the person has voted in the running sprint.
        package let hasVoted: Bool
    }

    /// The result of a sprint.
    package struct Result: Sendable {
        /// Start, end and name.
        package let span: SprintSpan
        /// Number and sum of the values; which values they were is unknown.
        package let tally: Tally
        /// The texts, without an order that says anything: stores keep them under random ids.
        package let feedback: [FeedbackText]
        /// Number of people who had an account at the end of the sprint, and never fewer than voted.
        package let eligible: Int
    }

    /// Decides about a dump.
    /// - Parameters:
    ///   - zone: of the team; it determines where a sprint begins.
    ///   - threshold: of the team: a result of fewer votes is not shown, so it is left out.
    ///   - bcryptCosts: the costs of hashes that a login can check in a reasonable time.
    package init(_ dump: ClassicDump, zone: TimeZone, threshold: Int, bcryptCosts: ClosedRange<Int>, at now: Date) {
        let results = ClassicResults(dump, zone: zone, threshold: threshold, at: now)
        let accounts = ClassicAccounts(dump.people, voted: results.voters, bcryptCosts: bcryptCosts)
        people = accounts.people
        past = results.past
        running = results.running
        lines = accounts.lines + results.lines
    }
}

extension String {
    /// In quotation marks and without what would fill a screen or control a terminal.
    var shown: String {
        let scalars = unicodeScalars.prefix(64).filter { !$0.properties.isControlOrInvisible }
        return "“\(String(String.UnicodeScalarView(scalars)))”"
    }
}
