import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// A person with one mailbox tries to cast many ballots: they accept an invitation, vote, delete the account, and are
/// invited again. The number of members stays the same. A lead who does that knows all ballots of a group except one.
@Suite struct MailboxAttack {
    private static let mailbox = "Mallory@example.org"

    @Test(arguments: StoreUnderTest.all)
    func `One mailbox has one ballot, however many accounts it had`(kind: StoreUnderTest) async throws {
        try await withTeam(kind) { attack in
            for _ in 0..<3 {
                let mallory = try await attack.join(Self.mailbox)
                await attack.vote(as: mallory)
                try await attack.delete(mallory)
            }
            #expect(try await attack.ballots() == 1)
            // Everyone can see that members came and went.
            #expect(try await attack.record().joined == 3)
            #expect(try await attack.members() == 4)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The address may be written in another case`(kind: StoreUnderTest) async throws {
        try await withTeam(kind) { attack in
            let mallory = try await attack.join(Self.mailbox)
            await attack.vote(as: mallory)
            try await attack.delete(mallory)
            await attack.vote(as: try await attack.join(Self.mailbox.lowercased()))
            #expect(try await attack.ballots() == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Leaving the team before does not help`(kind: StoreUnderTest) async throws {
        try await withTeam(kind) { attack in
            let mallory = try await attack.join(Self.mailbox)
            await attack.vote(as: mallory)
            try await attack.stores.remove(userID: mallory.userID, from: attack.team.team.id)
            try await attack.delete(mallory)
            await attack.vote(as: try await attack.join(Self.mailbox))
            #expect(try await attack.ballots() == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Another address for the account does not free the mailbox`(kind: StoreUnderTest) async throws {
        try await withTeam(kind) { attack in
            let mallory = try await attack.join(Self.mailbox)
            await attack.vote(as: mallory)
            try await attack.setEmail("second@example.org", of: mallory)
            // The mailbox may have a new account, but has voted.
            await attack.vote(as: try await attack.join(Self.mailbox))
            #expect(try await attack.ballots() == 1)
            // The same holds for the second mailbox once the account that voted is deleted.
            try await attack.delete(mallory)
            await attack.vote(as: try await attack.join("second@example.org"))
            #expect(try await attack.ballots() == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Taking over an address that has voted gives no second ballot`(kind: StoreUnderTest) async throws {
        try await withTeam(kind) { attack in
            let mallory = try await attack.join(Self.mailbox)
            await attack.vote(as: mallory)
            try await attack.delete(mallory)
            let second = try await attack.join("second@example.org")
            try await attack.setEmail(Self.mailbox, of: second)
            await attack.vote(as: second)
            #expect(try await attack.ballots() == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member who has not voted may rejoin and vote`(kind: StoreUnderTest) async throws {
        try await withTeam(kind) { attack in
            let first = try await attack.join(Self.mailbox)
            try await attack.delete(first)
            await attack.vote(as: try await attack.join(Self.mailbox))
            #expect(try await attack.ballots() == 1)
            #expect(try await attack.record().joined == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The mark of a mailbox is removed with its sprint`(kind: StoreUnderTest) async throws {
        try await withTeam(kind) { attack in
            let mallory = try await attack.join(Self.mailbox)
            await attack.vote(as: mallory)
            try await attack.delete(mallory)
            let mark = Receipt(secret: TestTeam.secret, sprint: attack.sprint.key, address: Self.mailbox)
            #expect(try await attack.stores.ballots.contains(mark))
            try await SprintClosing(stores: attack.stores, secret: TestTeam.secret).close(attack.sprint.key)
            #expect(try await attack.stores.ballots.contains(mark) == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A ballot paper uses up the mailbox's vote`(kind: StoreUnderTest) async throws {
        try await withTeam(kind) { attack in
            let mallory = try await attack.join(Self.mailbox)
            #expect(try attack.requestPaper(1, for: mallory) == .issued)
            try await attack.delete(mallory)
            let again = try await attack.join(Self.mailbox)
            #expect(try attack.requestPaper(2, for: again) == .alreadyVoted)
            await attack.vote(as: again)
            #expect(try await attack.ballots() == 0)
            #expect(try await attack.stores.system.check().isEmpty)
        }
    }

    private func withTeam(_ kind: StoreUnderTest, _ body: (Attack) async throws -> Void) async throws {
        try await kind.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: 4)
            let sprint = try await SprintService(
                stores: stores, secret: TestTeam.secret, clock: WallClock { Attack.now }
            ).runningSprint(of: team.team.id)
            try await body(Attack(team: team, sprint: sprint))
        }
    }
}

/// The attacks possible for a lead with a mailbox within minutes.
private struct Attack {
    static let now = TestTeam.firstMonday + 3 * TestTeam.day

    let team: TestTeam
    let sprint: Sprint

    var stores: Stores { team.stores }

    /// Invites an address and accepts the invitation.
    func join(_ email: String) async throws -> Principal {
        let invitation = Invitation(
            email: email, role: .member, teamID: team.team.id, teamRole: .member, locale: "en",
            sent: CalendarDay(instant: Self.now, in: .gmt))
        try await stores.insert(invitation)
        let (text, token) = OneTimeToken.make(
            .invitation, subject: invitation.id.description, email: email, at: Self.now)
        try await stores.insert(token)
        let newcomer = InvitedNewcomer(name: try UserName("u\(User.ID.random())"), passwordHash: "$2b$12$x")
        let user = try await stores.transaction {
            try $0.acceptInvitation(
                tokenHash: OneTimeToken.hash(of: text), newcomer: newcomer, secret: TestTeam.secret, at: Self.now)
        }.user
        let session = Session(
            userID: user.id, device: "a browser", expires: Self.now + TestTeam.day,
            lastUsed: CalendarDay(instant: Self.now, in: .gmt))
        try await stores.insert(session)
        return Principal(userID: user.id, sessionID: session.id)
    }

    /// Casts a ballot, if the store accepts it.
    func vote(as member: Principal) async {
        do {
            _ = try stores.ballots.cast([team.ballot(of: member, in: sprint.key)], at: Self.now)
        } catch {
            Issue.record(error)
        }
    }

    /// Asks for the signature of a blinded message; another number is another message.
    func requestPaper(_ number: UInt8, for member: Principal) throws -> BallotOutcome {
        let voter = Ballot.Voter(
            sessionID: member.sessionID, userID: member.userID,
            receipt: Receipt(secret: TestTeam.secret, sprint: sprint.key, userID: member.userID))
        let request = PaperRequest(voter: voter, blindedMessage: [number], secret: TestTeam.secret)
        return try stores.ballots.cast([.request(request)], at: Self.now)[0]
    }

    func setEmail(_ email: String, of member: Principal) async throws {
        try await stores.update(
            id: member.userID, UserUpdate(email: UserUpdate.NewEmail(email, secret: TestTeam.secret)))
    }

    func delete(_ member: Principal) async throws {
        try await stores.delete(id: member.userID)
    }

    func record() async throws -> SprintRecord {
        try #require(try await stores.sprint(sprint.key))
    }

    func ballots() async throws -> Int { try await record().state.current.count }

    func members() async throws -> Int? { try await stores.team(team.team.id)?.memberCount }
}
