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

/// The accounts of a dump that can be created.
private struct ClassicAccounts {
    private(set) var people: [ClassicPlan.Person] = []
    private(set) var lines: [String] = []
    private var names: Set<String> = []
    private var emails: Set<String> = []
    private var devices: Set<Device.Address> = []

    init(_ all: [ClassicDump.Person], voted: Set<String>, bcryptCosts: ClosedRange<Int>) {
        for (index, person) in all.enumerated() {
            let place = person.username.map { "users \($0.shown)" } ?? "users, document \(index + 1)"
            add(person, at: place, hasVoted: person.username.map(voted.contains) ?? false, bcryptCosts)
        }
    }

    private mutating func add(
        _ person: ClassicDump.Person, at place: String, hasVoted: Bool, _ bcryptCosts: ClosedRange<Int>
    ) {
        guard let email = self.email(of: person, at: place) else { return }
        guard emails.insert(EmailAddress.folded(email.text)).inserted else {
            lines.append("\(place): email belongs to another account, too. It is left out.")
            return
        }
        guard let name = self.name(of: person, email: email, at: place) else {
            lines.append("\(place): username cannot be used here, nor can the address. It is left out.")
            return
        }
        names.insert(UserName.folded(name.text))
        let hash = person.password.flatMap { Self.isBcrypt($0, bcryptCosts) ? $0 : nil }
        if hash == nil {
            let reason =
                person.password == nil
                ? "is missing"
                : "is not a bcrypt hash of a cost from \(bcryptCosts.lowerBound) to \(bcryptCosts.upperBound)"
            lines.append("\(place): password \(reason). An e-mail asks for a new one.")
        }
        people.append(
            ClassicPlan.Person(
                username: person.username ?? "", name: name, email: email, passwordHash: hash,
                picture: person.profilePicture.flatMap { $0.isEmpty ? nil : $0 },
                device: self.device(of: person, at: place), created: person.created, hasVoted: hasVoted))
    }

    /// The address; a user name that is one will do.
    private mutating func email(of person: ClassicDump.Person, at place: String) -> EmailAddress? {
        let given = person.email.flatMap { $0.isEmpty ? nil : $0 }
        // Which of the rules it breaks does not matter.
        if let email = try? EmailAddress(given ?? person.username ?? "") { return email }
        let reason = given == nil ? "is missing" : "is not an e-mail address"
        lines.append("\(place): email \(reason), and an account needs one. It is left out.")
        return nil
    }

    /// The name, with a number if another account has it in other letters; else the part of the address before the @.
    private mutating func name(
        of person: ClassicDump.Person, email: EmailAddress, at place: String
    ) -> UserName? {
        let local = String(email.text.prefix { $0 != "@" })
        for text in [person.username ?? "", local] where (try? UserName(text)) != nil {
            let numbered = [text] + (2...99).map { "\(text)-\($0)" }
            let free = numbered.lazy
                .compactMap { try? UserName($0) }
                .first { !names.contains(UserName.folded($0.text)) }
            guard let free else { continue }
            if free.text != person.username {
                lines.append(
                    "\(place): username cannot be kept. The log-in is with \(free.text.shown) or the address.")
            }
            return free
        }
        return nil
    }

    private mutating func device(of person: ClassicDump.Person, at place: String) -> Device.Address? {
        guard let token = person.deviceToken, !token.isEmpty else { return nil }
        // Apple's tokens are hexadecimal, Firebase's contain a colon.
        let apple = try? Device.Address.apns(validating: token)
        guard let address = apple ?? (try? Device.Address.fcm(validating: token)) else {
            lines.append("\(place): deviceToken is not a token of a push service. It is left out.")
            return nil
        }
        guard devices.insert(address).inserted else {
            lines.append("\(place): deviceToken belongs to another account, too. It is left out.")
            return nil
        }
        return address
    }

    /// `$2a$`, `$2b$` or `$2y$`, cost, and 53 characters of salt and hash (crypt(5)).
    private static func isBcrypt(_ hash: String, _ costs: ClosedRange<Int>) -> Bool {
        let form = /\$2[aby]\$([0-9]{2})\$[.\/A-Za-z0-9]{53}/
        guard let match = hash.wholeMatch(of: form), let cost = Int(match.1) else { return false }
        return costs.contains(cost)
    }
}

/// The sprints of a dump that can be stored.
private struct ClassicResults {
    private(set) var past: [ClassicPlan.Result] = []
    private(set) var running: ClassicPlan.Result?
    /// The user names that voted in the running sprint, if that is moved.
    private(set) var voters: Set<String> = []
    private(set) var lines: [String] = []

    /// Years in which a sprint may be; earlier ones are typing errors.
    private static let firstYear = 2000

    /// What the documents of one sprint have together.
    private struct Sum {
        var votes = 0
        var tenths = 0
        var feedback: [FeedbackText] = []
        var names: Set<String> = []
    }

    init(_ dump: ClassicDump, zone: TimeZone, threshold: Int, at now: Date) {
        let present = SprintCalendar.isoFortnight.span(containing: now, in: zone)
        var sums: [SprintLabel: Sum] = [:]
        for (index, result) in dump.results.enumerated() {
            guard let name = result.sprint, let label = Self.label(name, month: result.month),
                (Self.firstYear...present.label.year).contains(label.year)
            else {
                let place = result.sprint.map { "happinesses \($0.shown)" } ?? "happinesses, document \(index + 1)"
                lines.append("\(place): sprint is not a name such as 2019/21 of a sprint until today. It is left out.")
                continue
            }
            if label.description != name {
                lines.append("happinesses \(name): it belongs to sprint \(label).")
            }
            add(result, called: name, to: &sums[label, default: Sum()])
        }
        let spans = Self.spans(from: sums.keys.map(\.year).min(), through: present, in: zone)
        for (label, sum) in sums where sum.votes > 0 {
            guard let span = spans[label] else {
                lines.append("happinesses \(label): the calendar has no such sprint yet. It is left out.")
                continue
            }
            guard sum.votes >= threshold else {
                let isRunning = span.start == present.start
                lines.append(
                    "happinesses \(label): votes is \(sum.votes), and no result of fewer than \(threshold) is shown. "
                        + (isRunning ? "It is left out; those who voted can vote again." : "It is left out."))
                continue
            }
            let result = ClassicPlan.Result(
                span: span,
                tally: Tally(count: sum.votes, sum: sum.tenths, distribution: Tally.empty.distribution),
                feedback: sum.feedback, eligible: Self.eligible(dump.people, at: span.end, votes: sum.votes))
            if span.start == present.start {
                running = result
                voters = Set(dump.votes.filter { sum.names.contains($0.sprint) }.map(\.username))
            } else {
                past.append(result)
            }
        }
        past.sort { $0.span.start < $1.span.start }
        // Those of sprints come from a dictionary.
        lines.sort()
    }

    /// The sprint that a document belongs to.
    ///
    /// The clients paired the calendar year with half the ISO week: around New Year one sprint could get the names
    /// `Y/26`, `Y/0`, `(Y+1)/0` and `(Y+1)/26`. The month tells in which year it was.
    private static func label(_ name: String, month: Int?) -> SprintLabel? {
        guard let label = SprintLabel(name), label.suffix.isEmpty else { return nil }
        switch (label.number, month) {
        case (0, let month): return SprintLabel(year: (month ?? 0) < 6 ? label.year - 1 : label.year, number: 26)
        case (26, 0?): return SprintLabel(year: label.year - 1, number: 26)
        default: return label
        }
    }

    private mutating func add(_ result: ClassicDump.Result, called name: String, to sum: inout Sum) {
        let place = "happinesses \(name)"
        sum.names.insert(name)
        guard let votes = result.votes, (1...1_000_000).contains(votes) else {
            let reason = result.votes == nil ? "votes is not a number" : "votes is \(result.votes ?? 0)"
            lines.append("\(place): \(reason). It is left out.")
            return
        }
        guard let total = result.happinesssum ?? result.happiness.map({ $0 * Double(votes) }),
            (0...Double(votes) * 10).contains(total)
        else {
            lines.append("\(place): happinesssum does not fit \(votes) votes from 0 to 10. It is left out.")
            return
        }
        let tenths = (total * 10).rounded()
        let mean = tenths / Double(votes * 10)
        // Sums of decimals in JavaScript have errors in the last digits.
        if abs(tenths / 10 - total) > 1e-6 {
            lines.append("\(place): happinesssum is \(total), which is not in tenths. The mean becomes \(mean).")
        } else if let happiness = result.happiness, abs(happiness - mean) > 1e-9 {
            lines.append("\(place): happiness is \(happiness), but happinesssum / votes is \(mean), which counts.")
        }
        sum.votes += votes
        sum.tenths += Int(tenths)
        addFeedback(of: result, at: place, to: &sum)
    }

    private mutating func addFeedback(of result: ClassicDump.Result, at place: String, to sum: inout Sum) {
        var (empty, cut) = (0, 0)
        for written in result.feedbacks {
            let scalars = written.unicodeScalars.filter { scalar in
                scalar.properties.generalCategory != .control || ["\n", "\r", "\t"].contains(scalar)
            }
            let text = String(String.UnicodeScalarView(scalars))
            // It throws for nothing but its length.
            if let feedback = try? FeedbackText(text) {
                sum.feedback.append(feedback)
            } else if text.count > FeedbackText.maximumLength,
                let feedback = try? FeedbackText(String(text.prefix(FeedbackText.maximumLength - 1)) + "…")
            {
                sum.feedback.append(feedback)
                cut += 1
            } else {
                empty += 1
            }
        }
        if empty > 0 { lines.append("\(place): feedbacks has \(empty) without a text. They are left out.") }
        if cut > 0 {
            lines.append(
                "\(place): feedbacks has \(cut) of more than \(FeedbackText.maximumLength) characters. They are cut.")
        }
    }

    private static func spans(
        from year: Int?, through present: SprintSpan, in zone: TimeZone
    ) -> [SprintLabel: SprintSpan] {
        guard let year, let first = CalendarDay("\(year)-01-01") else { return [:] }
        let spans = SprintCalendar.isoFortnight.spans(from: first.firstInstant(in: zone), until: present.end, in: zone)
        return Dictionary(spans.map { ($0.label, $0) }) { first, _ in first }
    }

    private static func eligible(_ people: [ClassicDump.Person], at end: Date, votes: Int) -> Int {
        max(votes, people.count { ($0.created ?? .distantPast) < end })
    }
}

extension String {
    /// In quotation marks and without what would fill a screen or control a terminal.
    fileprivate var shown: String {
        let scalars = unicodeScalars.prefix(64).filter { !$0.properties.isControlOrInvisible }
        return "“\(String(String.UnicodeScalarView(scalars)))”"
    }
}
