package import Domain
import Foundation
package import Ports
package import Storage

/// Moves accounts, results and feedback of the first system into a team.
///
/// It can be repeated: what is here already stays as it is, so a second run changes nothing, and one that was
/// interrupted is continued by the next. Each account is stored in one transaction, and so is each sprint with its
/// feedback and receipts.
///
/// The running sprint goes on here, with the votes that the first system has counted as its first published state, and
/// with receipts of those who cast them. Votes that the first system takes after that are not moved: those who cast
/// them have no receipt here, and can vote here.
package struct ClassicImport: Sendable {
    private let stores: Stores
    private let secret: BallotSecret
    private let clock: WallClock
    private let mails: MailJobs

    /// - Parameter secret: the key for receipts.
    package init(stores: Stores, secret: BallotSecret, clock: WallClock) {
        self.stores = stores
        self.secret = secret
        self.clock = clock
        mails = MailJobs(jobs: stores.jobs, clock: clock)
    }

    /// Where everything goes.
    package struct Target: Sendable {
        /// The team's name. A missing team is created, with a sprint every second ISO week.
        package let team: String
        /// The time zone of a team that is created; `nil` means UTC.
        package let timeZone: String?
        /// User names or addresses of those who become leads of the team.
        package let leads: [String]
        /// Language of mails and messages until people choose one.
        package let locale: MailLocale

        /// By default nobody becomes a lead.
        package init(team: String, timeZone: String? = nil, leads: [String] = [], locale: MailLocale) {
            self.team = team
            self.timeZone = timeZone
            self.leads = leads
            self.locale = locale
        }
    }

    /// What was moved, or would be.
    package struct Report: Sendable, Equatable {
        /// Whether the team is new.
        package fileprivate(set) var isTeamNew = false
        /// Number of new accounts.
        package fileprivate(set) var people = 0
        /// Number of new sprints, the running one included.
        package fileprivate(set) var sprints = 0
        /// Number of new feedback texts.
        package fileprivate(set) var feedback = 0
        /// Number of new receipts of the running sprint.
        package fileprivate(set) var receipts = 0
        /// The people who have a picture in the first system and none here.
        package fileprivate(set) var pictures: [Picture] = []
        /// One line for each thing that is left out, changed, or here already in another form.
        package fileprivate(set) var lines: [String] = []

        /// Whether there is nothing to move.
        package var isEmpty: Bool { !isTeamNew && people == 0 && sprints == 0 }
    }

    /// A picture that is not moved yet.
    package struct Picture: Sendable, Equatable {
        /// The name of its owner here.
        package let name: String
        /// As in the first system.
        package let address: String

        /// The address is not checked.
        package init(name: String, address: String) {
            self.name = name
            self.address = address
        }
    }

    /// Moves a dump.
    /// - Parameter writing: `false` only reports what would be moved.
    /// - Throws: `AppError`: `unprocessable` for an invalid name or time zone of the team, a time zone other than that of a
    ///   team that exists, and more sprints than lists show; `StorageError.unavailable`.
    package func run(_ dump: ClassicDump, into target: Target, writing: Bool) async throws -> Report {
        var report = Report()
        let team = try await self.team(for: target, writing: writing, &report)
        let now = clock.now
        let plan = ClassicPlan(
            dump, zone: team.settings.zone, threshold: team.settings.threshold, bcryptCosts: PasswordHasher.costs,
            at: now)
        report.lines = plan.lines
        let present = try await stores.read { try $0.sprints(of: team.id, matching: .all) }
        let past = try Self.missing(plan.past, in: present, of: team, &report)
        // Accounts are moved before results.
        let isRepeated = present.contains { $0.sprint.isImported }
        let voters = try await addPeople(
            plan.people, to: team, target, isRepeated: isRepeated, writing: writing, &report)
        for sprint in past { report.count(sprint.result) }
        if writing { try await add(past, to: team) }
        if let running = plan.running {
            try await add(running, voters: voters, present: present, to: team, at: now, writing: writing, &report)
        }
        return report
    }

    private func team(for target: Target, writing: Bool, _ report: inout Report) async throws -> Team {
        if let team = try await stores.read({ try $0.team(name: target.team) }) {
            guard target.timeZone == nil || target.timeZone == team.settings.timeZone else {
                throw AppError(.unprocessable, "The time zone of \(team.name) is \(team.settings.timeZone).")
            }
            return team
        }
        var settings = TeamSettings()
        settings.timeZone = target.timeZone ?? settings.timeZone
        try settings.validate()
        let team = Team(name: try TeamName(target.team).text, settings: settings)
        if writing { try await stores.transaction { try $0.add(team, reminders: .ofNewTeam) } }
        report.isTeamNew = true
        return team
    }
}

// Accounts.
extension ClassicImport {
    /// Of several accounts with one mailbox, which could not join the team together, the first one is moved.
    /// - Parameter isRepeated: whether an earlier import has moved results, and so everybody that it could.
    /// - Returns: who has voted in the running sprint, of all that have an account here; also those for whose mailbox
    ///   another account has.
    private func addPeople(
        _ people: [ClassicPlan.Person], to team: Team, _ target: Target, isRepeated: Bool, writing: Bool,
        _ report: inout Report
    ) async throws -> [User.ID] {
        var voters: Set<User.ID> = []
        var leads = Set(target.leads.map { UserName.folded(EmailAddress.folded($0)) })
        // The members that this run has seen, by mailbox: without writing, new ones are not in the store.
        var mailboxes: [String: User.ID] = [:]
        for person in people {
            let isNamed = [person.name.text, person.email.text, person.username].map(UserName.folded)
                .map { leads.remove($0) != nil }.contains(true)
            let role: Membership.Role = isNamed ? .lead : .member
            let place = "users “\(person.name.text)”"
            let named = try await stores.user(login: person.name.text)
            let addressed = try await stores.user(login: person.email.text)
            if let user = named ?? addressed {
                guard named?.id == addressed?.id else {
                    report.lines.append("\(place): username or email belongs to another account here. It’s left out.")
                    continue
                }
                let membership = try await stores.membership(of: user.id, in: team.id)
                if membership == nil {
                    report.lines.append("\(place): the account is here already, but not in the team. It stays so.")
                } else if isNamed, membership?.role != .lead {
                    report.lines.append("\(place): the account is in the team already; --lead doesn’t change its role.")
                }
                if person.hasVoted { voters.insert(user.id) }
                if user.picture == nil { report.record(person.picture, of: user) }
                continue
            }
            let user = User(
                name: person.name, email: person.email, passwordHash: person.passwordHash,
                locale: AccountLanguage.seen(target.locale).tag,
                createdOn: CalendarDay(instant: min(person.created ?? clock.now, clock.now), in: .gmt))
            let mailbox = secret.subaddressing.mailbox(of: user.email).address
            var sharer = mailboxes[mailbox]
            if sharer == nil { sharer = try await member(withMailboxOf: user, in: team.id) }
            if let sharer {
                report.lines.append(
                    "\(place): another account with the same mailbox is in the team, and has its vote. It’s left out.")
                if person.hasVoted { voters.insert(sharer) }
                continue
            }
            if isRepeated {
                report.lines.append("\(place): the account is not here. If its owner has deleted it, it comes back.")
            }
            mailboxes[mailbox] = user.id
            if person.hasVoted { voters.insert(user.id) }
            report.people += 1
            report.record(person.picture, of: user)
            guard writing else { continue }
            try await add(user, role: role, device: person.device, to: team, locale: target.locale)
            if person.passwordHash == nil { try await mails.passwordReset(of: user.id) }
        }
        for lead in leads.sorted() {
            report.lines.append("No account in the first system has the name or address “\(lead)”.")
        }
        return Array(voters)
    }

    /// The member with the mailbox of a user who is not stored; `nil` if there is none.
    private func member(withMailboxOf user: User, in teamID: Team.ID) async throws -> User.ID? {
        let secret = secret
        return try await stores.transaction { rows in
            try rows.sharers(ofMailboxOf: user, secret: secret)
                .first { try rows.membership(of: $0.id, in: teamID) != nil }?.id
        }
    }

    private func add(
        _ user: User, role: Membership.Role, device: Device.Address?, to team: Team, locale: MailLocale
    ) async throws {
        let today = CalendarDay(instant: clock.now, in: .gmt)
        let secret = secret
        try await stores.transaction { rows in
            try rows.add(user)
            try rows.add(Membership(teamID: team.id, userID: user.id, role: role), secret: secret)
            // A phone that its owner registered here meanwhile belongs to that login.
            guard let device, try rows.device(at: device) == nil else { return }
            let platform: Device.Platform = device.service == .apns ? .ios : .android
            try rows.insert(
                Device(
                    userID: user.id, sessionID: nil, address: device, platform: platform, appVersion: nil,
                    locale: locale.rawValue, refreshed: today))
        }
    }
}

// Sprints.
extension ClassicImport {
    /// A result with the record that is stored for it.
    private struct NewSprint: Sendable {
        let result: ClassicPlan.Result
        let record: SprintRecord

        var texts: [(key: Sprint.Key, text: FeedbackText)] {
            result.feedback.map { (key: record.sprint.key, text: $0) }
        }
    }

    /// The results that the team does not have, with their records.
    /// - Throws: `AppError.unprocessable` if there would be more sprints than lists show.
    private static func missing(
        _ results: [ClassicPlan.Result], in present: [SprintRecord], of team: Team, _ report: inout Report
    ) throws -> [NewSprint] {
        var missing: [NewSprint] = []
        for result in results {
            let record = SprintRecord(imported: result.tally, in: result.span, for: team, eligible: result.eligible)
            let others = present.filter { other in
                other.sprint.label == result.span.label
                    || other.sprint.start < result.span.end && result.span.start < other.sprint.end
            }
            guard let other = others.first else {
                missing.append(NewSprint(result: result, record: record))
                continue
            }
            let isSame =
                other.sprint.isImported && other.sprint.key == record.sprint.key
                && other.state.published.count == result.tally.count && other.state.published.sum == result.tally.sum
            if !isSame {
                report.lines.append(
                    "happinesses \(result.span.label): the team’s sprint \(other.sprint.label) has other votes. It "
                        + "stays as it is.")
            }
        }
        // The running sprint has a place, too.
        guard missing.isEmpty || present.count + missing.count < SprintFilter.maximumCount else {
            throw AppError(
                .unprocessable,
                "\(team.name) would have more than \(SprintFilter.maximumCount) sprints, which is what lists show.")
        }
        return missing
    }

    /// Texts that one transaction stores, if not a single sprint has more: a transaction has a second.
    private static let textsAtOnce = 500

    private func add(_ past: [NewSprint], to team: Team) async throws {
        var rest = past[...]
        while let first = rest.popFirst() {
            var (records, texts) = ([first.record], first.texts)
            while let next = rest.first, texts.count + next.texts.count <= Self.textsAtOnce {
                records.append(next.record)
                texts += next.texts
                rest.removeFirst()
            }
            let (added, feedback) = (records, texts)
            try await stores.transaction { rows in
                guard try rows.lock(team.id) else { throw AppError.noSuchTeam }
                try rows.insert(added)
                try rows.importFeedback(feedback)
                try rows.countPublication(of: team.id)
            }
        }
    }

    /// - Parameter present: the team's sprints before the import.
    private func add(
        _ running: ClassicPlan.Result, voters: [User.ID], present: [SprintRecord], to team: Team, at now: Date,
        writing: Bool, _ report: inout Report
    ) async throws {
        let place = "happinesses \(running.span.label)"
        let settings = team.settings
        if let other = present.first(where: { $0.sprint.end > running.span.start }) {
            guard other.sprint.isImported, other.sprint.start == running.span.start else {
                report.lines.append(
                    "\(place): the team’s sprint \(other.sprint.label) has begun here. The votes are left out; those "
                        + "who cast them can vote here.")
                return
            }
            let receipts = voters.map { Receipt(secret: secret, sprint: other.sprint.key, userID: $0) }
            let moved = try await stores.ballots.existing(among: receipts)
            let new = Set(receipts).subtracting(moved).count
            // A closed sprint has no receipts.
            guard new > 0, !other.state.isClosed else { return }
            report.lines.append(
                "\(place): usersprints has \(new) who voted after the import. Their votes are left out; they can "
                    + "vote here.")
            return
        }
        guard settings.calendar.span(containing: now, in: settings.zone) == running.span else {
            report.lines.append(
                "\(place): the team’s calendar has another sprint now. The votes are left out; those who cast them can "
                    + "vote here.")
            return
        }
        let sprint = NewSprint(result: running, record: SprintRecord(begunElsewhere: running, for: team))
        let (record, texts) = (sprint.record, sprint.texts)
        let receipts = self.receipts(of: voters, in: record.sprint.key, ballots: running.tally.count)
        report.count(running)
        report.receipts = voters.count
        guard writing else { return }
        try await stores.transaction { rows in
            guard try rows.lock(team.id) else { throw AppError.noSuchTeam }
            guard try rows.sprint(of: team.id, endingAfter: record.sprint.start) == nil else {
                throw AppError(.conflict, "The team’s sprint began while this command ran. Please run it again.")
            }
            try rows.insert([record])
            try rows.insertReceipts(receipts)
            try rows.importFeedback(texts)
            try rows.countPublication(of: team.id)
        }
    }

    /// The receipts of voters. The first system sometimes lost a vote, or counted it twice, and some of its people may
    /// have no account here: so receipts of nobody fill up, and those beyond the number of votes count for none.
    private func receipts(
        of voters: [User.ID], in sprint: Sprint.Key, ballots: Int
    ) -> [(receipt: Receipt, isCounted: Bool)] {
        let fillers = (0..<max(0, ballots - voters.count)).map { _ in User.ID.random() }
        return (voters + fillers).enumerated().map { index, userID in
            (receipt: Receipt(secret: secret, sprint: sprint, userID: userID), isCounted: index < ballots)
        }
    }
}

extension ClassicImport.Report {
    fileprivate mutating func record(_ picture: String?, of user: User) {
        guard let picture else { return }
        pictures.append(ClassicImport.Picture(name: user.name, address: picture))
    }

    fileprivate mutating func count(_ result: ClassicPlan.Result) {
        sprints += 1
        feedback += result.feedback.count
    }
}

extension SprintRecord {
    /// A running sprint with the votes that another system took. They were visible there, so they are published here,
    /// and the next state differs from them by at least the threshold. Their distribution is unknown: under `immediate`
    /// an incomplete one would be shown.
    fileprivate init(begunElsewhere running: ClassicPlan.Result, for team: Team) {
        let (settings, span) = (team.settings, running.span)
        let closes = CalendarDay(instant: span.end, in: settings.zone).adding(days: settings.graceDays)
            .firstInstant(in: settings.zone)
        self.init(
            sprint: Sprint(
                teamID: team.id, start: span.start, end: span.end, closes: closes, label: span.label,
                threshold: settings.threshold, policy: settings.policy == .immediate ? .live : settings.policy,
                feedbackReaders: settings.feedbackReaders, ballots: settings.ballots, isImported: true),
            state: PublicationState(
                current: running.tally, snapshot: running.tally, snapshotNumber: 1, published: running.tally,
                publishedNumber: 1, isClosed: false),
            eligible: nil)
    }
}
