import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// The contract of both stores for actions.
@Suite struct ActionStoreContract {
    private static let sprint = ActionSprint(start: Instants.start, label: SprintLabel(year: 2026, number: 1))

    private func action(
        _ title: String = "Shorter daily", of team: Team, state: Action.State = .toDo, assignee: User? = nil
    ) -> Action {
        Action(
            teamID: team.id, content: ActionContent(title: title, assignee: assignee?.id), state: state,
            made: Self.sprint, began: state == .toDo ? nil : Self.sprint)
    }

    private func titles(_ stores: Stores, _ team: Team, _ state: Action.State = .toDo) async throws -> [String] {
        try await stores.read { try $0.actions(of: team.id, state: state, limit: 1_000) }.map(\.content.title)
    }

    @Test(arguments: StoreUnderTest.all)
    func `An action is read as it was stored`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let member = try await stores.makeVoters(1, in: team)[0].user
            let full = Action(
                teamID: team.id,
                content: ActionContent(
                    title: "'; DROP TABLE teams; -- \"$where\" 🎉", notes: "One\nTwo", quote: "Too many meetings",
                    quoteReaders: .leads, assignee: member.id, due: CalendarDay("2026-02-28")),
                state: .onHold, made: Self.sprint,
                began: ActionSprint(
                    start: Instants.start + 14 * Instants.day, label: SprintLabel(year: 2026, number: 2, suffix: "b")),
                version: 7)
            let bare = action(of: team)
            try await stores.insert(full, at: .last)
            try await stores.insert(bare, at: .last)
            #expect(try await stores.action(full.id) == full)
            #expect(try await stores.action(bare.id) == bare)
            #expect(try await stores.action(.random()) == nil)
            #expect(try await stores.read { try $0.actions(of: team.id, state: .onHold, limit: 10) } == [full])
            #expect(try await stores.read { try $0.actions(of: team.id, state: .done, limit: 10) }.isEmpty)
            #expect(try await stores.read { try $0.actions(assignedTo: member.id) } == [full])
            #expect(try await stores.team(team.id)?.name == team.name)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.insert(action(of: Team(name: "Nobody's")), at: .last)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A column has the order in which actions were put`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let (a, b, c) = (action("a", of: team), action("b", of: team), action("c", of: team))
            try await stores.insert(b, at: .last)
            try await stores.insert(c, at: .last)
            try await stores.insert(a, at: .first)
            try await stores.insert(action("d", of: team), at: .before(c.id))
            try await stores.insert(action("elsewhere", of: other), at: .first)
            #expect(try await titles(stores, team) == ["a", "b", "d", "c"])
            // An action in another column, or a deleted one, is not a valid position: the end is used instead.
            let far = action("far", of: team, state: .done)
            try await stores.insert(far, at: .last)
            let moved = try await stores.update(a, at: .before(far.id))
            #expect(try await titles(stores, team) == ["b", "d", "c", "a"])
            _ = try await stores.update(moved, at: .before(b.id))
            #expect(try await titles(stores, team) == ["a", "b", "d", "c"])
            let head = try await stores.read { try $0.actions(of: team.id, state: .toDo, limit: 2) }
            #expect(head.map(\.content.title) == ["a", "b"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `There is always room between two actions`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let end = action("end", of: team)
            try await stores.insert(action("0", of: team), at: .last)
            try await stores.insert(end, at: .last)
            // More halvings than there is room for at first.
            for number in 1...45 { try await stores.insert(action("\(number)", of: team), at: .before(end.id)) }
            #expect(try await titles(stores, team) == (0...45).map(String.init) + ["end"])
            #expect(try await stores.action(end.id)?.version == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many changes from one version, one succeeds`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let action = action(of: team)
            try await stores.insert(action, at: .last)
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        var changed = action
                        changed.content.title = "\(number)"
                        do {
                            return try await stores.update(changed, at: nil).version == 2
                        } catch let error as AppError where error == .actionChanged {
                            return false
                        } catch {
                            Issue.record(error)
                            return false
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(outcomes == 1)
            let stored = try #require(try await stores.action(action.id))
            #expect(stored.version == 2 && stored.content.title != action.content.title)
            await expectRejection(.conflict, reason: .changedMeanwhile) {
                try await stores.transaction { try $0.deleteAction(action.id, version: 1) }
            }
            try await stores.transaction { try $0.deleteAction(action.id, version: 2) }
            #expect(try await stores.action(action.id) == nil)
            await expectRejection(.notFound, reason: .noSuchAction) {
                try await stores.transaction { try $0.deleteAction(action.id, version: 2) }
            }
            await expectRejection(.notFound, reason: .noSuchAction) {
                _ = try await stores.update(stored, at: nil)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many actions added at once, each has its place and none is one too many`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            for number in 0..<(Action.maximumOpen - 4) {
                try await stores.insert(action("\(number)", of: team), at: .last)
            }
            let done = action("done", of: team, state: .done)
            try await stores.insert(done, at: .last)
            let refused = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do {
                            try await stores.insert(action("new", of: team), at: .last)
                            return false
                        } catch let error as AppError {
                            #expect(error.reason == .tooManyActions)
                            return true
                        } catch {
                            Issue.record(error)
                            return false
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(refused == 4)
            #expect(try await titles(stores, team).suffix(5) == ["495", "new", "new", "new", "new"])
            await expectRejection(.unprocessable, reason: .tooManyActions) {
                var opened = done
                opened.state = .onHold
                _ = try await stores.update(opened, at: .last)
            }
            try await stores.insert(action("also done", of: team, state: .done), at: .first)
            #expect(try await titles(stores, team, .done) == ["also done", "done"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Actions that began are listed by their sprint, latest first`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            try await stores.insert(action("waits", of: team), at: .last)
            for (number, state) in [(1, Action.State.done), (3, .inProgress), (2, .toDo)] {
                let start = Instants.start + Double(number) * 14 * Instants.day
                let begun = Action(
                    teamID: team.id, content: ActionContent(title: "\(number)"), state: state, made: Self.sprint,
                    began: ActionSprint(start: start, label: SprintLabel(year: 2026, number: number)))
                try await stores.insert(begun, at: .last)
            }
            let all = try await stores.read { try $0.begunActions(of: team.id, in: nil, limit: 10) }
            #expect(all.map(\.title) == ["3", "2", "1"])
            #expect(all.map(\.began.label.number) == [3, 2, 1] && all.allSatisfy { $0.teamID == team.id })
            #expect(try await stores.read { try $0.begunActions(of: team.id, in: nil, limit: 1) } == [all[0]])
            let second = try await stores.read {
                try $0.begunActions(of: team.id, in: Instants.start + 28 * Instants.day, limit: 10)
            }
            #expect(second.map(\.title) == ["2"])
            #expect(try await stores.read { try $0.begunActions(of: .random(), in: nil, limit: 10) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A user who leaves the team or deletes their account is nobody's assignee`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let people = try await stores.makeVoters(2, in: team).map(\.user)
            for person in people { try await stores.add(Membership(teamID: other.id, userID: person.id)) }
            let leaves = action("leaves", of: team, assignee: people[0])
            let elsewhere = action("elsewhere", of: other, assignee: people[0])
            let deleted = action("deleted", of: other, assignee: people[1])
            for action in [leaves, elsewhere, deleted] { try await stores.insert(action, at: .last) }
            try await stores.remove(userID: people[0].id, from: team.id)
            try await stores.delete(id: people[1].id)
            let freed = try #require(try await stores.action(leaves.id))
            #expect(freed.content.assignee == nil && freed.version == 2)
            #expect(try await stores.action(elsewhere.id) == elsewhere)
            #expect(try await stores.action(deleted.id)?.content.assignee == nil)
            #expect(try await stores.read { try $0.actions(assignedTo: people[1].id) }.isEmpty)
            await expectRejection(.unprocessable, reason: .assigneeNotInTeam) {
                try await stores.insert(action("late", of: team, assignee: people[0]), at: .last)
            }
            await expectRejection(.unprocessable, reason: .assigneeNotInTeam) {
                var late = freed
                late.content.assignee = people[1].id
                _ = try await stores.update(late, at: nil)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A released user is no longer an assignee in any team`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let people = try await stores.makeVoters(2, in: team).map(\.user)
            try await stores.add(Membership(teamID: other.id, userID: people[0].id))
            let own = [action("a", of: team, assignee: people[0]), action("b", of: other, assignee: people[0])]
            let somebodyElses = action("c", of: team, assignee: people[1])
            for action in own + [somebodyElses] { try await stores.insert(action, at: .last) }
            for _ in 1...2 { try await stores.transaction { try $0.releaseActions(of: people[0].id, in: nil) } }
            for action in own {
                let released = try #require(try await stores.action(action.id))
                #expect(released.content.assignee == nil && released.version == 2)
            }
            #expect(try await stores.action(somebodyElses.id) == somebodyElses)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Every change of a team's actions moves its number and no other's`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            #expect(try await stores.read { try $0.actionChangeNumber(of: .random()) } == nil)
            var numbers: [Int?] = []
            func read() async throws {
                numbers.append(try await stores.read { try $0.actionChangeNumber(of: team.id) })
            }
            try await read()
            let action = action(of: team)
            try await stores.insert(action, at: .last)
            try await read()
            let moved = try await stores.update(action, at: .first)
            try await read()
            await expectRejection(.conflict, reason: .changedMeanwhile) {
                _ = try await stores.update(action, at: .first)
            }
            #expect(try await stores.read { try $0.actionChangeNumber(of: team.id) } == numbers.last)
            try await stores.transaction { try $0.deleteAction(moved.id, version: moved.version) }
            try await read()
            #expect(numbers.compactMap(\.self) == [0, 1, 2, 3])
            #expect(try await stores.read { try $0.actionChangeNumber(of: other.id) } == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A user who is assigned an action while they leave does not keep it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            for person in try await stores.makeVoters(6, in: team).map(\.user) {
                let action = action(of: team, assignee: person)
                async let removal: Void = stores.remove(userID: person.id, from: team.id)
                do {
                    try await stores.insert(action, at: .last)
                } catch let error as AppError {
                    #expect(error.reason == .assigneeNotInTeam)
                }
                try await removal
                #expect(try await stores.read { try $0.actions(assignedTo: person.id) }.isEmpty)
            }
        }
    }
}
