package import Domain
import Foundation
package import Ports
package import Storage

/// The demo accounts, which all have the same password.
package struct DemoLogin: Hashable, Sendable, CustomStringConvertible {
    /// A member who has not voted yet: the account to try first.
    package let member: String
    /// The team's lead.
    package let lead: String
    /// Generated with the data; stored only as a hash.
    package let password: String

    /// Some lines for the console at program start.
    package var description: String {
        """

          Demo data: "\(DemoData.teamName)" with two years of sprints. Log in with the password \(password) as
            \(member)   a member who has not voted yet
            \(lead)   the team's lead

        """
    }
}

/// A team with two years of sprints, so that the product shows something right after the first start.
package struct DemoData {
    /// The team's name.
    static let teamName = "Demo Team"
    /// The time zone in which its Mondays begin.
    private static let zone = TimeZone(identifier: "Europe/Vienna") ?? .gmt
    /// Length of the generated history.
    static let years = 2

    private static let reminders = ReminderSettings.ofNewTeam

    private static let lead = "anna"
    /// Has not voted in the running sprint, so that visitors can try it.
    private static let firstToTry = "demo"
    /// Have voted: twice k, the minimum for `live` to show anything of a running sprint.
    private static let voters = ["anna", "ben", "clara", "david", "emma", "felix"]
    private static let waiting = ["demo", "greta", "hugo"]

    private let stores: Stores
    private let secret: BallotSecret
    private let clock: WallClock

    /// Fills a new store: the team, its members, closed sprints with feedback, and a running sprint in which some
    /// members have voted. There is no admin: the server prints a link to create one. Apart from the password, ids and
    /// the running sprint's receipts, the data depends only on the day.
    ///
    /// Not one transaction: a process that ends halfway leaves half the data.
    /// - Parameter hasher: used once, for the shared password, so that the first start is fast.
    /// - Throws: `AppError.conflict` if a name is taken, and what the stores throw.
    package static func create(
        in stores: Stores, hasher: PasswordHasher, secret: BallotSecret, clock: WallClock
    ) async throws -> DemoLogin {
        let password = PasswordGenerator.password()
        let hash = try await hasher.hash(password)
        let demo = DemoData(stores: stores, secret: secret, clock: clock)
        let team = try await demo.addTeam()
        var userIDs: [String: User.ID] = [:]
        var voterIDs: [User.ID] = []
        for name in voters + waiting {
            let id = try await demo.addUser(name, role: .member, passwordHash: hash)
            try await stores.transaction {
                try $0.add(
                    Membership(teamID: team.id, userID: id, role: name == lead ? .lead : .member), secret: secret)
            }
            userIDs[name] = id
            if voters.contains(name) { voterIDs.append(id) }
        }
        let past = try await demo.addHistory(of: team)
        let sprint = try await demo.vote(as: voterIDs, in: team)
        try await DemoActions.add(
            to: team, sprints: past + [sprint], userIDs: userIDs, today: CalendarDay(instant: clock.now, in: zone),
            in: stores)
        try await demo.addReminders(of: sprint)
        return DemoLogin(member: firstToTry, lead: lead, password: password)
    }

    @discardableResult
    private func addUser(_ name: String, role: User.Role, passwordHash: String) async throws -> User.ID {
        let user = User(
            name: try UserName(name), email: try EmailAddress("\(name)@example.org"), role: role,
            passwordHash: passwordHash, createdOn: CalendarDay(instant: clock.now, in: .gmt))
        try await stores.transaction { try $0.add(user) }
        return user.id
    }

    private func addTeam() async throws -> Team {
        let team = Team(name: Self.teamName, settings: TeamSettings(timeZone: Self.zone.identifier))
        try await stores.transaction { try $0.add(team, reminders: Self.reminders) }
        return team
    }

    /// - Returns: the sprints, in order of start.
    private func addHistory(of team: Team) async throws -> [Sprint] {
        let past = try DemoHistory(team: team, members: Self.voters.count + Self.waiting.count)
            .sprints(before: clock.now, years: Self.years)
        try await stores.importSprints(past.map(\.record))
        let texts = past.flatMap { sprint in sprint.feedback.map { (key: sprint.record.sprint.key, text: $0) } }
        try await stores.transaction { try $0.importFeedback(texts) }
        return past.map(\.record.sprint)
    }

    /// Marks those reminders of the running sprint as sent whose time is over; otherwise the worker's first message
    /// would be that they were missed. Those to come are sent like any team's.
    private func addReminders(of sprint: Sprint) async throws {
        let calendar = ReminderCalendar(sprint: sprint, zone: Self.zone, settings: Self.reminders)
        for past in calendar.occasions where past.window.upperBound <= clock.now {
            let occasion = Delivery.Occasion(sprint: sprint.key, kind: past.kind.deliveryKind, day: past.day)
            let delivery = Delivery(occasion: occasion, state: .done, begun: past.window.lowerBound)
            _ = try await stores.transaction { try $0.add(delivery) }
        }
    }

    /// Casts real ballots, one after another as members do: after k of them there is a snapshot, after twice k it is
    /// published.
    /// - Returns: the sprint they were cast in.
    private func vote(as userIDs: [User.ID], in team: Team) async throws -> Sprint {
        // The team as it was created, with the members that it has by now.
        var present = team
        present.memberCount = Self.voters.count + Self.waiting.count
        let first = SprintService.next(of: present, after: nil, at: clock.now)
        let sprint = try await stores.transaction { try $0.start(first) }
        let values = try DemoHistory(team: team, members: userIDs.count).ballots(in: sprint, count: userIDs.count)
        let box = BallotBox(store: stores.ballots, partitions: 1, clock: clock)
        defer { box.close() }
        for (userID, happiness) in zip(userIDs, values) {
            try await cast(happiness, by: userID, in: sprint, through: box)
        }
        return sprint
    }

    /// A ballot needs a session, which is ended afterwards so that the demo users start with none.
    private func cast(
        _ happiness: Happiness, by userID: User.ID, in sprint: Sprint, through box: BallotBox
    ) async throws {
        let now = clock.now
        let session = Session(
            userID: userID, device: "Demo data", expires: now.addingTimeInterval(60),
            lastUsed: CalendarDay(instant: now, in: .gmt))
        try await stores.transaction { try $0.add(session) }
        _ = try await box.cast(
            Ballot(
                voter: Ballot.Voter(
                    sessionID: session.id, userID: userID,
                    receipt: Receipt(secret: secret, sprint: sprint.key, userID: userID)),
                sprint: sprint.key, happiness: happiness, feedback: nil))
        try await stores.write { try $0.endSession(session.id) }
    }
}
