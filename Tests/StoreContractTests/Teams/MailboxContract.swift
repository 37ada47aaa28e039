import Domain
import Foundation
import Logging
import Ports
import Services
import Storage
import TestSupport
import Testing

/// One mailbox joins a team once, and has one ballot in a sprint, whatever sub-addresses its accounts have.
@Suite(.timeLimit(.minutes(2))) struct MailboxContract {
    // MARK: - Membership

    @Test(arguments: StoreUnderTest.all)
    func `A sub-address of a member's mailbox cannot join the team`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let carl = try await stores.makeUser(at: "carl@example.org")
            try await stores.add(Membership(teamID: team.id, userID: carl.id))
            for address in ["carl+x@example.org", "CARL+y+z@Example.org"] {
                let second = try await stores.makeUser(at: address)
                await expectRejection(.conflict, reason: .mailboxInTeam) {
                    try await stores.add(Membership(teamID: team.id, userID: second.id))
                }
                #expect(try await stores.membership(of: second.id, in: team.id) == nil)
            }
            // Others, and other teams, are free.
            let second = try #require(try await stores.user(login: "carl+x@example.org"))
            try await stores.add(Membership(teamID: other.id, userID: second.id))
            for address in ["carla@example.org", "carl+x@example.net", "car@example.org"] {
                let person = try await stores.makeUser(at: address)
                try await stores.add(Membership(teamID: team.id, userID: person.id))
            }
            #expect(try await stores.current(team).memberCount == 4)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member with a sub-address keeps the mailbox itself out`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let second = try await stores.makeUser(at: "carl+x@example.org")
            try await stores.add(Membership(teamID: team.id, userID: second.id))
            let carl = try await stores.makeUser(at: "carl@example.org")
            await expectRejection(.conflict, reason: .mailboxInTeam) {
                try await stores.add(Membership(teamID: team.id, userID: carl.id))
            }
            // Once the place is free, they may join.
            try await stores.remove(userID: second.id, from: team.id)
            try await stores.add(Membership(teamID: team.id, userID: carl.id))
            #expect(try await stores.current(team).memberCount == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A domain without sub-addresses has a mailbox for each address`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let secret = BallotSecret(
                key: Voter.secret.key, subaddressing: try Subaddressing(setting: "example.org:none"))
            let team = try await stores.makeTeam()
            for address in ["carl@example.org", "carl+x@example.org"] {
                let person = try await stores.makeUser(at: address)
                try await stores.transaction {
                    try $0.add(Membership(teamID: team.id, userID: person.id), secret: secret)
                }
            }
            #expect(try await stores.current(team).memberCount == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of accounts of one mailbox that join at once, one does`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            var people: [User] = []
            for number in 0..<6 { people.append(try await stores.makeUser(at: "carl+\(number)@example.org")) }
            let all = people
            let refusals: [AppError.Reason?] = try await concurrently(all.count) { number in
                do {
                    try await stores.add(Membership(teamID: team.id, userID: all[number].id))
                    return nil
                } catch let error as AppError {
                    return error.reason
                }
            }
            #expect(refusals.compactMap { $0 } == Array(repeating: .mailboxInTeam, count: 5))
            #expect(try await stores.current(team).memberCount == 1)
            #expect(try await stores.members(of: team.id).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `No member's address changes to the mailbox of another member`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let carl = try await stores.makeUser(at: "carl@example.org")
            let dora = try await stores.makeUser(at: "dora@example.org")
            for user in [carl, dora] { try await stores.add(Membership(teamID: team.id, userID: user.id)) }
            await expectRejection(.conflict, reason: .mailboxInTeam) {
                try await stores.update(id: dora.id, UserUpdate(email: "carl+x@example.org"))
            }
            #expect(try await stores.user(dora.id)?.email == "dora@example.org")
            // A sub-address of one's own mailbox, and any in a team of one's own, are free.
            try await stores.update(id: carl.id, UserUpdate(email: "carl+work@example.org"))
            try await stores.remove(userID: dora.id, from: team.id)
            try await stores.update(id: dora.id, UserUpdate(email: "carl+x@example.org"))
            await expectRejection(.conflict, reason: .mailboxInTeam) {
                try await stores.add(Membership(teamID: team.id, userID: dora.id))
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of a change of address and a joining at once, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for number in 0..<4 {
                let team = try await stores.makeTeam()
                let dora = try await stores.makeUser(at: "dora\(number)@example.org")
                try await stores.add(Membership(teamID: team.id, userID: dora.id))
                let carl = try await stores.makeUser(at: "carl\(number)@example.org")
                let refusals: [AppError.Reason?] = try await concurrently(2) { action in
                    do {
                        if action == 0 {
                            try await stores.add(Membership(teamID: team.id, userID: carl.id))
                        } else {
                            let email = UserUpdate.NewEmail("carl\(number)+x@example.org", secret: TestTeam.secret)
                            try await stores.update(id: dora.id, UserUpdate(email: email))
                        }
                        return nil
                    } catch let error as AppError {
                        return error.reason
                    }
                }
                #expect(refusals.compactMap { $0 } == [.mailboxInTeam])
            }
        }
    }

    // MARK: - Ballots of accounts that take turns

    @Test(arguments: StoreUnderTest.all)
    func `Accounts of one mailbox that join in turn have one ballot`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let first = try await stores.makeVoter(at: "carl@example.org")
            let second = try await stores.makeVoter(at: "carl+x@example.org")
            var outcomes: [BallotOutcome] = []
            for voter in [first, second, first] {
                try await stores.add(Membership(teamID: team.id, userID: voter.user.id))
                outcomes += try await stores.cast([try voter.ballot(in: sprint)])
                try await stores.remove(userID: voter.user.id, from: team.id)
            }
            #expect(outcomes.map(\.isCounted) == [true, false, false])
            #expect(outcomes.dropFirst().allSatisfy { $0 == .alreadyVoted })
            #expect(try await stores.record(of: sprint).state.current.count == 1)
            #expect(try await stores.system.check().isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A deleted account's vote counts for every sub-address`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            for address in ["carl@example.org", "carl+x@example.org", "carl+y@example.org"] {
                let voter = try await stores.makeVoter(at: address)
                try await stores.add(Membership(teamID: team.id, userID: voter.user.id))
                let outcomes = try await stores.cast([try voter.ballot(in: sprint)])
                #expect(outcomes[0].isCounted == (address == "carl@example.org"))
                try await stores.delete(id: voter.user.id)
            }
            #expect(try await stores.record(of: sprint).state.current.count == 1)
        }
    }

    /// An administrator could otherwise remove a person, give an account of their own the person's mailbox, and look
    /// whether that account can still vote.
    @Test(arguments: StoreUnderTest.all)
    func `An address that an admin sets does not tell whether its mailbox has voted`(
        kind: StoreUnderTest
    ) async throws {
        // A provider has administrators, too.
        try await expectNoTelling(kind, isFromProvider: false)
        try await expectNoTelling(kind, isFromProvider: true)
    }

    private func expectNoTelling(_ kind: StoreUnderTest, isFromProvider: Bool) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let carl = try await stores.makeVoter(at: "carl@example.org")
            let spy = try await stores.makeVoter(at: "spy@example.org")
            for voter in [carl, spy] { try await stores.add(Membership(teamID: team.id, userID: voter.user.id)) }
            @Sendable func set(_ address: String) async throws {
                let email = UserUpdate.NewEmail(
                    address, secret: TestTeam.secret,
                    setOn: isFromProvider ? nil : CalendarDay(instant: Instants.now, in: .gmt),
                    isFromProvider: isFromProvider)
                try await stores.update(id: spy.user.id, UserUpdate(email: email))
            }
            #expect(try await stores.cast([try carl.ballot(in: sprint)])[0].isCounted)
            try await stores.remove(userID: carl.user.id, from: team.id)
            try await set("carl+x@example.org")
            #expect(try await !stores.ballots.contains(spy.receipt(in: sprint)))
            // Carl comes back, and has voted.
            try await set("spy@example.org")
            try await stores.add(Membership(teamID: team.id, userID: carl.user.id))
            #expect(try await stores.cast([try carl.ballot(in: sprint)]) == [.alreadyVoted])
            // The same for a deleted account.
            try await stores.delete(id: carl.user.id)
            try await set("carl@example.org")
            #expect(try await !stores.ballots.contains(spy.receipt(in: sprint)))
            // Who reads mails to the address has voted.
            try await set("spy@example.org")
            try await stores.update(id: spy.user.id, UserUpdate(email: "carl+x@example.org"))
            #expect(try await stores.cast([try spy.ballot(in: sprint)]) == [.alreadyVoted])
        }
    }

    // MARK: - Members of before who share a mailbox

    @Test(arguments: StoreUnderTest.all)
    func `Members of before who share a mailbox have one ballot`(kind: StoreUnderTest) async throws {
        try await Self.withPair(kind) { pair in
            try await pair.vote(0)
            await expectRejection(.conflict, reason: .mailboxVoted) { try await pair.vote(1) }
            await expectRejection(.conflict, reason: .mailboxVoted) { try await pair.requestPaper(1) }
            await expectRejection(.conflict, reason: .alreadyVoted) { try await pair.vote(0) }
            #expect(try await pair.service.hasMailboxVoted(of: pair.voters[1].user.id, in: pair.sprint.key))
            #expect(try await !pair.service.hasMailboxVoted(of: pair.voters[0].user.id, in: pair.sprint.key))
            #expect(try await pair.record().state.current.count == 1)
            // Nothing more is stored than for any other vote.
            #expect(try await !pair.stores.ballots.contains(pair.voters[1].receipt(in: pair.sprint)))
            #expect(try await pair.stores.system.check().isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A ballot paper uses up the vote of a shared mailbox`(kind: StoreUnderTest) async throws {
        try await Self.withPair(kind) { pair in
            try await pair.requestPaper(0)
            await expectRejection(.conflict, reason: .mailboxVoted) { try await pair.requestPaper(1) }
            await expectRejection(.conflict, reason: .mailboxVoted) { try await pair.vote(1) }
            let record = try await pair.record()
            #expect(record.papers.issued == 1 && record.state.current.count == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Members who share a mailbox and vote at once have one ballot`(kind: StoreUnderTest) async throws {
        try await Self.withPair(kind) { pair in
            // More than one box, as in several processes: each casts in a transaction of its own.
            let boxes = (0..<4).map { _ in
                BallotBox(store: pair.stores.ballots, partitions: 1, clock: WallClock { Instants.now })
            }
            defer { for box in boxes { box.close() } }
            let outcomes: [BallotOutcome] = try await concurrently(8) { number in
                try await boxes[number % 4].cast(try pair.entry(of: number % 2, isRequest: number % 4 < 2))
            }
            let accepted = outcomes.filter { $0.isCounted || $0 == .issued }
            // The same request again gets the same answer.
            #expect(Set(accepted).count == 1)
            let record = try await pair.record()
            #expect(record.state.current.count + record.papers.issued == 1)
            #expect(try await pair.stores.system.check().isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Two ballots of a shared mailbox in one batch are one`(kind: StoreUnderTest) async throws {
        try await Self.withPair(kind) { pair in
            let (store, entries) = (
                pair.stores.ballots, [try pair.entry(of: 1, isRequest: false), try pair.entry(of: 0, isRequest: false)]
            )
            let outcomes = try await BlockingCall { try store.cast(entries, at: Instants.now) }.value
            #expect(outcomes[0].isCounted && outcomes[1] == .mailboxVoted)
        }
    }

    enum Departure: CaseIterable {
        case removal, deletion, address
    }

    @Test(arguments: StoreUnderTest.all, Departure.allCases)
    func `The one who stays has no second ballot`(kind: StoreUnderTest, departure: Departure) async throws {
        try await Self.withPair(kind) { pair in
            try await pair.vote(0)
            let id = pair.voters[0].user.id
            switch departure {
            case .removal: try await pair.stores.remove(userID: id, from: pair.team.id)
            case .deletion: try await pair.stores.delete(id: id)
            case .address: try await pair.stores.update(id: id, UserUpdate(email: "other@example.org"))
            }
            // A process that starts now knows of no shared mailbox.
            let again = try await pair.stores.cast([try pair.voters[1].ballot(in: pair.sprint)])
            #expect(again == [.alreadyVoted])
            #expect(try await pair.record().state.current.count == 1)
            #expect(try await pair.stores.system.check().isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The vote of a new mailbox does not use up that of the one who stays`(kind: StoreUnderTest) async throws {
        try await Self.withPair(kind) { pair in
            let dora = try await pair.stores.makeVoter(at: "dora@example.org")
            try await pair.stores.add(Membership(teamID: pair.team.id, userID: dora.user.id))
            #expect(try await pair.stores.cast([try dora.ballot(in: pair.sprint)])[0].isCounted)
            try await pair.stores.delete(id: dora.user.id)
            try await pair.stores.update(id: pair.voters[0].user.id, UserUpdate(email: "dora+x@example.org"))
            let outcomes = try await pair.stores.cast(try pair.voters.map { try $0.ballot(in: pair.sprint) })
            #expect(outcomes[0] == .alreadyVoted && outcomes[1].isCounted)
            #expect(try await pair.stores.system.check().isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint closes early once every mailbox has voted`(kind: StoreUnderTest) async throws {
        try await Self.withPair(kind, settings: TeamSettings(threshold: 2, policy: .close)) { pair in
            let third = try await pair.stores.makeVoters(1, in: pair.team)[0]
            try await pair.vote(0)
            #expect(try await !pair.record().state.isClosed)
            try await pair.service.cast(
                by: third.principal, in: pair.team.id, for: .label(pair.sprint.label),
                happiness: try Happiness(tenths: 70), feedback: nil)
            let record = try await pair.record()
            #expect(record.state.isClosed && record.state.published.count == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Those who manage a team see who shares a mailbox`(kind: StoreUnderTest) async throws {
        try await Self.withPair(kind) { pair in
            let teams = TeamService(stores: pair.stores, secret: TestTeam.secret)
            let lead = try await pair.stores.makeUser(at: "lead@example.org")
            try await pair.stores.add(Membership(teamID: pair.team.id, userID: lead.id, role: .lead))
            let groups = try await teams.sharedMailboxes(of: pair.team.id, by: .user(lead.id))
            #expect(groups.map { Set($0.map(\.id)) } == [Set(pair.voters.map(\.user.id))])
            await expectRejection(.forbidden, reason: .notAllowed) {
                _ = try await teams.sharedMailboxes(of: pair.team.id, by: .user(pair.voters[0].user.id))
            }
            try await pair.stores.remove(userID: pair.voters[1].user.id, from: pair.team.id)
            #expect(try await teams.sharedMailboxes(of: pair.team.id, by: .user(lead.id)).isEmpty)
        }
    }

    /// Two members with one mailbox, who joined before that was rejected.
    private struct Pair: Sendable {
        let stores: Stores
        let team: Team
        let sprint: Sprint
        let voters: [Voter]
        let service: BallotService

        func vote(_ number: Int) async throws {
            try await service.cast(
                by: voters[number].principal, in: team.id, for: .label(sprint.label),
                happiness: try Happiness(tenths: 70), feedback: nil)
        }

        func requestPaper(_ number: Int) async throws {
            let key = try await service.ballotKey(for: voters[number].principal, in: team.id, for: sprint.label)
            _ = try await service.issuePaper(
                to: voters[number].principal, in: team.id, for: sprint.label,
                blindedMessage: Array(try BlindedPaper(publicKey: key.publicKey).blindedMessage))
        }

        /// What the service passes to its ballot box.
        func entry(of number: Int, isRequest: Bool) throws -> BallotBoxEntry {
            let (own, other) = (voters[number], voters[1 - number])
            let voter = Ballot.Voter(
                sessionID: own.session.id, userID: own.user.id, receipt: own.receipt(in: sprint),
                sharedReceipts: [other.receipt(in: sprint)])
            if isRequest {
                return .request(
                    PaperRequest(voter: voter, blindedMessage: [UInt8(number)], secret: TestTeam.secret))
            }
            return .ballot(
                Ballot(voter: voter, sprint: sprint.key, happiness: try Happiness(tenths: 70), feedback: nil))
        }

        func record() async throws -> SprintRecord { try await stores.record(of: sprint) }
    }

    private static func withPair(
        _ kind: StoreUnderTest, settings: TeamSettings = TeamSettings(), _ body: (Pair) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam(settings: settings)
            let voters = [
                try await stores.makeVoter(at: "carl@example.org"),
                try await stores.makeVoter(at: "carl+x@example.org"),
            ]
            for voter in voters { try await stores.addAsBefore(voter.user, to: team) }
            let clock = SettableClock(Instants.now).wall
            let logger = Logger(label: "test")
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: clock)
            let box = BallotBox(store: stores.ballots, partitions: 1, clock: clock)
            defer { box.close() }
            let service = BallotService(
                box: box,
                keys: BallotKeyService(
                    store: stores.ballotKeys, secret: TestTeam.secret, clock: clock, logger: logger),
                stores: stores, sprints: sprints, memberships: MembershipCache(stores: stores, clock: clock),
                secret: TestTeam.secret, publicURL: "https://happiness.example.org", clock: clock, logger: logger)
            let sprint = try await sprints.runningSprint(of: team.id)
            try await body(Pair(stores: stores, team: team, sprint: sprint, voters: voters, service: service))
        }
    }
}

extension Stores {
    /// A user with this address.
    fileprivate func makeUser(at address: String) async throws -> User {
        let user = User(name: try UserName("user-\(User.ID.random())"), email: try EmailAddress(address))
        try await insert(user)
        return user
    }

    /// The same with a session.
    fileprivate func makeVoter(at address: String) async throws -> Voter {
        let user = try await makeUser(at: address)
        return Voter(user: user, session: try await makeSession(of: user))
    }

    /// Adds a member as earlier versions did, which did not ask for the mailbox.
    fileprivate func addAsBefore(_ user: User, to team: Team) async throws {
        try await transaction { rows in
            try rows.changeMemberCount(of: team.id, by: 1)
            try rows.insert(Membership(teamID: team.id, userID: user.id))
        }
    }
}

extension Voter {
    fileprivate var principal: Principal { Principal(userID: user.id, sessionID: session.id) }
}
