import Domain
import Foundation
import Mongo
import Services
import TestSupport
import Testing

@testable import Storage

/// The data left of a deleted team.
@Suite struct TeamDeletionContract {
    @Test(arguments: StoreUnderTest.all)
    func `Members of a deleted team keep their accounts and get another default team`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let (team, other, second) = (
                try await stores.makeTeam(), try await stores.makeTeam("b"), try await stores.makeTeam("a")
            )
            let voters = try await stores.makeVoters(3, in: team)
            for place in [other, second] {
                try await stores.add(Membership(teamID: place.id, userID: voters[0].user.id))
            }
            try await stores.delete(team.id, at: Instants.now)
            #expect(try await stores.team(team.id) == nil)
            let defaults = try await stores.read { try $0.users(voters.map(\.user.id)) }.map(\.defaultTeamID)
            #expect(defaults.count == 3 && Set(defaults) == [second.id, nil])
            #expect(
                try await stores.read { try $0.teams(of: voters[0].user.id) }.map(\.team.id) == [second.id, other.id])
            #expect(try await stores.read { try $0.teams(of: voters[1].user.id) }.isEmpty)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.delete(team.id, at: Instants.now)
            }
            _ = try await stores.makeTeam(team.name)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A large team goes in slices, and the job finishes what was begun`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            _ = try await stores.makeVoters(101, in: team)
            try await stores.delete(team.id, at: Instants.now)
            #expect(try await stores.team(team.id) == nil)
            #expect(try await stores.jobs.list(state: .ready, limit: 10).map(\.kind) == [DeletedTeam.jobKind])
            let other = try await stores.makeTeam("other")
            _ = try await stores.makeVoters(60, in: other)
            // As if the process had died before its first slice, or after any.
            try await stores.finishDeletion(of: other.id)
            #expect(try await stores.team(other.id) == nil)
            try await stores.finishDeletion(of: other.id)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Nobody is invited into a deleted team`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let invited = try await stores.makeInvitation(into: team, links: 2)
            let facts = try await stores.transaction { try $0.facts(of: invited.invitation) }
            #expect(facts.rejection(at: Instants.now) == nil)
            try await stores.delete(team.id, at: Instants.now)
            #expect(try await stores.read { try $0.tokens(of: invited.invitation.id.description) }.isEmpty)
            let later = try await stores.transaction { try $0.facts(of: invited.invitation) }
            #expect(later.rejection(at: Instants.now) == .linkExpired)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.insert(invited.invitation)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A ballot for a deleted team is not counted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team)
            let voters = try await stores.makeVoters(3, in: team)
            // So that MongoDB's store remembers the sprint.
            #expect(try await stores.cast([voters[0].ballot(in: sprint)])[0].isCounted)
            try await stores.delete(team.id, at: Instants.now)
            #expect(try await !stores.cast([voters[1].ballot(in: sprint)])[0].isCounted)
        }
    }

    @Test func `Nothing of a deleted team is left in the SQLite file`() async throws {
        try await SQLiteFile.with { file in
            try await Self.deleteAndSearch(file.stores) { text in
                // Not `ranges`, which takes a second for each text.
                try await file.bytes().range(of: Data(text.utf8)) != nil
            }
        }
    }

    @Test(.needsMongod) func `Nothing of a deleted team is left in any MongoDB collection`() async throws {
        let fixture = try await MongoFixture.make()
        try await Self.deleteAndSearch(fixture.stores) { text in
            for name in MongoCollectionName.allCases {
                for document in try await fixture.documents(of: name.rawValue)
                where Data(document.bytes).range(of: Data(text.utf8)) != nil {
                    return true
                }
            }
            return false
        }
    }

    /// - Parameter contains: whether the store's data contain a text anywhere.
    private static func deleteAndSearch(
        _ stores: Stores, contains: (String) async throws -> Bool
    ) async throws {
        let team = try await stores.makeTeam("doomed")
        let ids = try await fill(team, of: stores)
        for id in ids { #expect(try await contains(id), "the search finds existing data") }
        try await stores.delete(team.id, at: Instants.now)
        let job = try #require(try await stores.jobs.list(state: .ready, limit: 10).first)
        #expect(job.kind == DeletedTeam.jobKind && job.payload.contains(team.id.description))
        try await stores.write { try $0.purgeDeletedTeam(of: team.id) }
        // A second run finds nothing more to do.
        try await stores.write { try $0.purgeDeletedTeam(of: team.id) }
        _ = try await stores.jobs.lease(
            kinds: [job.kind], owner: "test", at: Instants.now, until: Instants.now + 60)
        #expect(try await stores.jobs.delete(id: job.id, owner: "test"))
        for id in ids { #expect(try await !contains(id)) }
    }

    /// Stores everything that a team can have.
    /// - Returns: ids and texts that must not stay.
    private static func fill(_ team: Team, of stores: Stores) async throws -> [String] {
        let sprint = try await stores.makeSprint(of: team)
        let voters = try await stores.makeVoters(4, in: team)
        let ballots = try voters.map { try $0.ballot(in: sprint, feedback: "doomed words") }
        #expect(try await stores.cast(ballots).allSatisfy(\.isCounted))
        let action = Action(
            teamID: team.id, content: ActionContent(title: "doomed action"), state: .toDo,
            made: ActionSprint(sprint))
        try await stores.insert(action, at: .last)
        let day = try #require(CalendarDay("2026-01-08"))
        let invitation = Invitation(
            email: "doomed@example.org", role: .member, teamID: team.id, teamRole: .member, locale: "en", sent: day)
        try await stores.insert(invitation)
        let delivery = Delivery(
            occasion: Delivery.Occasion(sprint: sprint.key, kind: .message, day: day), begun: Instants.now,
            text: Delivery.Text(title: "doomed", body: "doomed message"))
        #expect(try await stores.insert(delivery))
        _ = try await stores.write {
            try $0.expand(
                delivery.id,
                into: [
                    DeliveryBatch(
                        key: DeliveryBatch.Key(deliveryID: delivery.id, number: 0), recipients: .requester,
                        sealedCounts: SealedCounts(bytes: Array(repeating: 0, count: 48)))
                ])
        }
        let experiment = ReminderExperiment(
            teamID: team.id, kind: .first, first: day, last: day.adding(days: 30),
            wordings: [.a: [.english: ReminderText(title: "doomed wording")]])
        try await stores.insert(experiment)
        try await stores.write {
            try $0.noteMembers(
                MemberMarks([1, 7]), in: ExperimentSprint(experimentID: experiment.id, start: sprint.start))
        }
        return [team.id, action.id, invitation.id, delivery.id, experiment.id].map { "\($0)" } + ["doomed"]
    }
}
