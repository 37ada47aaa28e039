import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// The permissions of each role for a team's actions.
@Suite struct ActionServiceTests {
    private struct Fixture {
        let stores: Stores
        let service: ActionService
        let clock: SettableClock
        let team: Team
        let lead: User.ID
        let member: User.ID

        func user(
            _ role: User.Role, in teamID: Team.ID? = nil, as teamRole: Membership.Role = .member
        ) async throws -> User.ID {
            let id = User.ID.random()
            try await stores.insert(
                User(id: id, name: try UserName("u\(id)"), email: try EmailAddress("\(id)@example.org"), role: role))
            if let teamID { try await stores.add(Membership(teamID: teamID, userID: id, role: teamRole)) }
            return id
        }

        func add(_ title: String = "Shorter daily", for assignee: User.ID? = nil) async throws -> Action {
            try await service.add(ActionContent(title: title, assignee: assignee), to: team.id, by: lead)
        }

        /// Creates an action from a feedback, readable for as many as allowed.
        func quote(_ text: String, from sprint: SprintLabel?) async throws -> Action {
            try await service.add(
                ActionContent(title: "Meetings", quote: text, quoteReaders: .team), quoting: sprint, to: team.id,
                by: lead)
        }

        /// Moves the action; returns the reason if it is rejected.
        func move(
            _ action: Action, to state: Action.State, place: ActionPosition? = nil, by userID: User.ID
        ) async throws -> AppError.Code? {
            var change = ActionChange(version: action.version)
            change.state = state
            change.place = place
            return try await rejection {
                _ = try await service.change(action.id, of: team.id, change, by: userID)
            }?.code
        }
    }

    private func withTeam(
        _ store: StoreUnderTest, settings: TeamSettings = TeamSettings(), _ body: (Fixture) async throws -> Void
    ) async throws {
        try await store.withStores { stores in
            let made = try await TestTeam.make(in: stores, members: 1, settings: settings)
            let clock = SettableClock(TestTeam.firstMonday + TestTeam.day)
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: clock.wall)
            let lead = User.ID.random()
            try await stores.insert(
                User(id: lead, name: try UserName("lead"), email: try EmailAddress("lead@example.org")))
            try await stores.add(Membership(teamID: made.team.id, userID: lead, role: .lead))
            try await body(
                Fixture(
                    stores: stores,
                    service: ActionService(
                        stores: stores, sprints: sprints, secret: TestTeam.secret, clock: clock.wall), clock: clock,
                    team: made.team, lead: lead, member: made.members[0].userID))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Leads do everything, members read and add, and others find no team`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            let (service, teamID) = (fixture.service, fixture.team.id)
            let callers: [(User.ID, read: AppError.Code?, write: AppError.Code?)] = [
                (fixture.lead, nil, nil), (try await fixture.user(.guest, in: teamID, as: .lead), nil, nil),
                (fixture.member, nil, .forbidden), (try await fixture.user(.guest, in: teamID), nil, .forbidden),
                (try await fixture.user(.admin, in: teamID), nil, .forbidden),
                (try await fixture.user(.admin), .notFound, .notFound),
                (try await fixture.user(.member), .notFound, .notFound),
            ]
            for (caller, read, write) in callers {
                let unsupported = try await rejection {
                    try await service.setSupport(
                        of: try await fixture.add().id, in: teamID, to: true, by: caller)
                }
                #expect(unsupported?.code == read)
                let action = try await fixture.add()
                var change = ActionChange(version: action.version)
                change.notes = "More"
                let codes = [
                    try await rejection { _ = try await service.board(of: teamID, by: caller) },
                    try await rejection { _ = try await service.find(action.id, of: teamID, by: caller) },
                    try await rejection {
                        _ = try await service.begun(of: teamID, in: TestTeam.firstMonday, by: caller)
                    },
                    try await rejection {
                        _ = try await service.add(ActionContent(title: "New"), to: teamID, by: caller)
                    },
                    try await rejection { _ = try await service.change(action.id, of: teamID, change, by: caller) },
                ].map { $0?.code }
                #expect(codes == [read, read, read, read, write])
                let version = write == nil ? 2 : 1
                let deletion = try await rejection {
                    try await service.delete(action.id, of: teamID, version: version, by: caller)
                }
                #expect(deletion?.code == write)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member adds actions for themselves or nobody, without a quote, until leads reserve that`(
        store: StoreUnderTest
    ) async throws {
        try await withTeam(store) { fixture in
            func reason(_ content: ActionContent) async throws -> AppError.Reason? {
                try await rejection {
                    _ = try await fixture.service.add(content, to: fixture.team.id, by: fixture.member)
                }?.reason
            }
            #expect(try await reason(ActionContent(title: "a", assignee: fixture.member)) == nil)
            #expect(try await reason(ActionContent(title: "a", assignee: fixture.lead)) == .leadsOnly)
            #expect(try await reason(ActionContent(title: "a", quote: "said so")) == .leadsOnly)
            let reader = try await fixture.service.reader(fixture.member, in: fixture.team.id)
            #expect(try await fixture.service.candidates(for: reader).map(\.id) == [fixture.member])
            for _ in 1..<ActionService.addedLimit { #expect(try await reason(ActionContent(title: "a")) == nil) }
            #expect(try await reason(ActionContent(title: "a")) == .tooManyNewActions)
            fixture.clock.now += 2 * TestTeam.day
            #expect(try await reason(ActionContent(title: "a")) == nil)

            try await fixture.stores.updateSettings(id: fixture.team.id, TeamSettings(actionAuthors: .leads))
            #expect(try await reason(ActionContent(title: "a")) == .leadsOnly)
            _ = try await fixture.add()
        }
    }

    /// An action has no author. The places that it takes have times, and ids are in the same store.
    @Test(arguments: StoreUnderTest.all)
    func `What the store keeps of a limit names nobody who adds actions`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            let content = ActionContent(title: "a")
            _ = try await fixture.service.add(content, to: fixture.team.id, by: fixture.member)
            let now = fixture.clock.now
            for text in ["actions \(fixture.member)", "added actions of \(fixture.member)"] {
                let key = SecureBytes.sha256(Data(text.utf8))
                #expect(try await fixture.stores.write { try $0.takeQuota(key, limit: 1, window: 60, at: now) })
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Me too counts once per person, can be taken back, and changes nothing else`(
        store: StoreUnderTest
    ) async throws {
        try await withTeam(store) { fixture in
            let (service, teamID) = (fixture.service, fixture.team.id)
            let action = try await fixture.add()
            let other = try await fixture.add("Other")
            func counts(for userID: User.ID) async throws -> [String] {
                let supporters = try await service.board(of: teamID, by: userID).supporters
                return [action, other].map { "\(supporters.count(of: $0.id)) \(supporters.isSupported($0.id))" }
            }
            for _ in 1...2 { try await service.setSupport(of: action.id, in: teamID, to: true, by: fixture.member) }
            try await service.setSupport(of: action.id, in: teamID, to: true, by: fixture.lead)
            #expect(try await counts(for: fixture.member) == ["2 true", "0 false"])
            for _ in 1...2 { try await service.setSupport(of: action.id, in: teamID, to: false, by: fixture.lead) }
            #expect(try await counts(for: fixture.member) == ["1 true", "0 false"])
            #expect(try await counts(for: fixture.lead) == ["1 false", "0 false"])
            // A change that another lead has begun is still based on this version.
            #expect(try await service.find(action.id, of: teamID, by: fixture.lead).action == action)
            // Whoever removes a member must not learn from the count what they had said.
            try await fixture.stores.remove(userID: fixture.member, from: teamID)
            #expect(try await counts(for: fixture.lead) == ["1 false", "0 false"])
            let gone = try await rejection {
                try await service.setSupport(of: action.id, in: teamID, to: false, by: fixture.member)
            }
            #expect(gone == .noSuchTeam)
            try await service.delete(action.id, of: teamID, version: 1, by: fixture.lead)
            #expect(try await fixture.stores.read { try $0.supportedActions(after: nil, limit: 1) }.isEmpty)
            let deleted = try await rejection {
                try await service.setSupport(of: action.id, in: teamID, to: true, by: fixture.lead)
            }
            #expect(deleted == .noSuchAction)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The one action to show is in progress, or what most want to do`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            let (service, teamID) = (fixture.service, fixture.team.id)
            let reader = try await service.reader(fixture.member, in: teamID)
            func shown() async throws -> String? { try await service.oneToShow(for: reader)?.content.title }
            #expect(try await shown() == nil)
            let held = try await fixture.add("held")
            #expect(try await fixture.move(held, to: .onHold, by: fixture.lead) == nil)
            #expect(try await shown() == "held")
            let upper = try await fixture.add("upper")
            let lower = try await fixture.add("lower")
            #expect(try await shown() == "upper")
            try await service.setSupport(of: lower.id, in: teamID, to: true, by: fixture.member)
            #expect(try await shown() == "lower")
            #expect(try await fixture.move(upper, to: .inProgress, by: fixture.lead) == nil)
            #expect(try await shown() == "upper")
            #expect(try await fixture.move(lower, to: .done, by: fixture.lead) == nil)
            #expect(try await shown() == "upper")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An action's assignee moves it and changes nothing else`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            let own = try await fixture.add(for: fixture.member)
            let other = try await fixture.add("Other")
            #expect(try await fixture.move(own, to: .inProgress, by: fixture.member) == nil)
            #expect(try await fixture.move(other, to: .inProgress, by: fixture.member) == .forbidden)
            var change = ActionChange(version: 2)
            change.state = .done
            change.title = "Mine"
            let refused = try await rejection {
                _ = try await fixture.service.change(own.id, of: fixture.team.id, change, by: fixture.member)
            }
            #expect(refused == .leadsOnly)
            let stored = try await fixture.service.find(own.id, of: fixture.team.id, by: fixture.member).action
            #expect(stored.state == .inProgress && stored.content.title == "Shorter daily")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An action keeps the sprint it was created in and the one it began in`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            let action = try await fixture.add()
            #expect(action.made.label == SprintLabel(year: 2026, number: 1) && action.began == nil)
            fixture.clock.now = TestTeam.firstMonday + 15 * TestTeam.day
            #expect(try await fixture.move(action, to: .done, by: fixture.lead) == nil)
            let stored = try #require(try await fixture.stores.action(action.id))
            #expect(stored.began?.label == SprintLabel(year: 2026, number: 2) && stored.made == action.made)
            let second = try #require(stored.began)
            let begun = try await fixture.service.begun(of: fixture.team.id, in: second.start, by: fixture.lead)
            #expect(begun.map(\.id) == [action.id] && begun.map(\.began) == [second])
            #expect(
                try await fixture.service.begun(of: fixture.team.id, in: action.made.start, by: fixture.lead).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Without a position it goes to the end, and a finished one to the top`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            let actions = [try await fixture.add("a"), try await fixture.add("b"), try await fixture.add("c")]
            for action in actions { #expect(try await fixture.move(action, to: .done, by: fixture.lead) == nil) }
            func titles(_ state: Action.State) async throws -> [String] {
                let board = try await fixture.service.board(of: fixture.team.id, by: fixture.lead)
                return board.columns.first { $0.state == state }?.actions.map(\.content.title) ?? []
            }
            #expect(try await titles(.done) == ["c", "b", "a"])
            for action in actions {
                var action = action
                action.version = 2
                #expect(try await fixture.move(action, to: .toDo, by: fixture.lead) == nil)
            }
            #expect(try await titles(.toDo) == ["a", "b", "c"])
            var change = ActionChange(version: 3)
            change.place = .before(actions[0].id)
            _ = try await fixture.service.change(actions[2].id, of: fixture.team.id, change, by: fixture.lead)
            #expect(try await titles(.toDo) == ["c", "a", "b"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A change based on an earlier version is refused`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            let action = try await fixture.add()
            #expect(try await fixture.move(action, to: .onHold, by: fixture.lead) == nil)
            #expect(try await fixture.move(action, to: .done, by: fixture.lead) == .conflict)
            var change = ActionChange(version: action.version)
            change.due = .some(CalendarDay("2026-03-01"))
            let refused = try await rejection {
                _ = try await fixture.service.change(action.id, of: fixture.team.id, change, by: fixture.lead)
            }
            #expect(refused == .actionChanged)
            let stored = try await fixture.service.find(action.id, of: fixture.team.id, by: fixture.lead).action
            #expect(stored.content.due == nil && stored.state == .onHold && stored.version == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A quote for leads stays for leads after the team opens its feedback`(store: StoreUnderTest) async throws {
        try await withTeam(store, settings: TeamSettings(feedbackReaders: .leads)) { fixture in
            let action = try await fixture.service.add(
                ActionContent(title: "Meetings", quote: "Too many", quoteReaders: .team, assignee: fixture.member),
                to: fixture.team.id, by: fixture.lead)
            #expect(action.content.quoteReaders == .leads)
            func quotes(for userID: User.ID) async throws -> [String?] {
                let board = try await fixture.service.board(of: fixture.team.id, by: userID)
                let found = try await fixture.service.find(action.id, of: fixture.team.id, by: userID).action
                return board.columns.flatMap(\.actions).map(\.content.quote) + [found.content.quote]
            }
            #expect(try await quotes(for: fixture.lead) == ["Too many", "Too many"])
            #expect(try await quotes(for: fixture.member) == [nil, nil])
            try await fixture.stores.updateSettings(id: fixture.team.id, TeamSettings())
            #expect(try await quotes(for: fixture.member) == [nil, nil])
            // A move by a member who cannot see the quote keeps it.
            #expect(try await fixture.move(action, to: .inProgress, by: fixture.member) == nil)
            #expect(try await quotes(for: fixture.lead) == ["Too many", "Too many"])

            // In the sprint after the one in which feedback was for leads.
            fixture.clock.now = TestTeam.firstMonday + 15 * TestTeam.day
            let open = try await fixture.quote("For all", from: SprintLabel(year: 2026, number: 2))
            func isRead() async throws -> Bool {
                try await fixture.service.find(open.id, of: fixture.team.id, by: fixture.member).action.content.quote
                    != nil
            }
            #expect(try await isRead())
            try await fixture.stores.updateSettings(id: fixture.team.id, TeamSettings(feedbackReaders: .leads))
            #expect(try await !isRead())
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A quote is for leads unless both the sprint and the team say otherwise`(
        store: StoreUnderTest
    ) async throws {
        try await withTeam(store, settings: TeamSettings(graceDays: 3, feedbackReaders: .leads)) { fixture in
            func readers(_ number: Int?) async throws -> Team.FeedbackReaders {
                try await fixture.quote("Too many", from: number.map { SprintLabel(year: 2026, number: $0) })
                    .content.quoteReaders
            }
            #expect(try await readers(1) == .leads, "The team and the sprint say so.")
            try await fixture.stores.updateSettings(id: fixture.team.id, TeamSettings(graceDays: 3))
            #expect(try await readers(1) == .leads, "The sprint was begun under the rules before.")
            fixture.clock.now = TestTeam.firstMonday + 15 * TestTeam.day
            _ = try await fixture.add()
            #expect(try await readers(2) == .leads, "The sprint before still takes feedback, for leads.")
            fixture.clock.now += 3 * TestTeam.day
            #expect(try await readers(2) == .team)
            #expect(try await readers(1) == .leads, "That is what its writers were told.")
            for unknown in [nil, 3] { #expect(try await readers(unknown) == .leads) }
            let asked = try await fixture.service.add(
                ActionContent(title: "Meetings", quote: "Too many"), quoting: SprintLabel(year: 2026, number: 2),
                to: fixture.team.id, by: fixture.lead)
            #expect(asked.content.quoteReaders == .leads, "Nobody asked for more.")
            try await fixture.stores.updateSettings(
                id: fixture.team.id, TeamSettings(graceDays: 3, feedbackReaders: .leads))
            #expect(try await readers(2) == .leads, "The team closed its feedback.")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `No change opens a quote that is for leads`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            func change(
                _ action: Action, _ edit: (inout ActionChange) -> Void
            ) async throws -> (Action?, reason: AppError.Reason?) {
                var change = ActionChange(version: action.version)
                edit(&change)
                do {
                    let id = action.id
                    return (try await fixture.service.change(id, of: fixture.team.id, change, by: fixture.lead), nil)
                } catch let error as AppError {
                    return (nil, error.reason)
                }
            }
            let closed = try await fixture.quote("Too many", from: nil)
            #expect(closed.content.quoteReaders == .leads)
            #expect(try await change(closed) { $0.quoteReaders = .team }.reason == .quoteForLeads)
            let reworded = try await change(closed) {
                $0.quote = "Too many meetings"
                $0.quoteReaders = .team
            }
            #expect(reworded.reason == .quoteForLeads)
            // Without the quote there is nothing to protect; a quote that is added again is for leads.
            let bare = try #require(try await change(closed) { $0.quote = .some(nil) }.0)
            let opened = try #require(try await change(bare) { $0.quoteReaders = .team }.0)
            let again = try #require(
                try await change(opened) {
                    $0.quote = "Too many"
                    $0.quoteReaders = .team
                }.0)
            #expect(again.content.quoteReaders == .leads)

            let open = try await fixture.quote("For all", from: SprintLabel(year: 2026, number: 1))
            #expect(open.content.quoteReaders == .team)
            let shorter = try #require(try await change(open) { $0.quote = "All" }.0)
            #expect(shorter.content.quoteReaders == .team)
            try await fixture.stores.updateSettings(id: fixture.team.id, TeamSettings(feedbackReaders: .leads))
            let renamed = try #require(try await change(shorter) { $0.title = "Title" }.0)
            #expect(renamed.content.quoteReaders == .team, "It says what it said.")
            let other = try #require(try await change(renamed) { $0.quote = "Another" }.0)
            #expect(other.content.quoteReaders == .leads)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A guest sees nobody else`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            let guest = try await fixture.user(.guest, in: fixture.team.id)
            let (own, other) = (try await fixture.add(for: guest), try await fixture.add(for: fixture.member))
            let board = try await fixture.service.board(of: fixture.team.id, by: guest)
            #expect(board.columns.flatMap(\.actions).map(\.content.assignee) == [guest, nil])
            #expect(try await fixture.service.candidates(for: board.reader).map(\.id) == [guest])
            let lead = try await fixture.service.reader(fixture.lead, in: fixture.team.id)
            #expect(try await fixture.service.candidates(for: lead).count == 3)
            _ = (own, other)
        }
    }

    /// The content of an action created from a feedback: the text, but no reference to the feedback, its writer, or the
    /// time.
    @Test(arguments: StoreUnderTest.all)
    func `An action made from a feedback keeps its text and no link to it`(store: StoreUnderTest) async throws {
        try await withTeam(store) { fixture in
            var texts: [Set<String>] = []
            for seconds in [60.0, 7 * TestTeam.day + 12_345] {
                fixture.clock.now = TestTeam.firstMonday + seconds
                let made = try await fixture.service.add(
                    ActionContent(title: "Meetings", quote: "Too many meetings"), to: fixture.team.id, by: fixture.lead)
                let stored = try #require(try await fixture.stores.action(made.id))
                // Everything in it except its own random id.
                var said: Set<String> = []
                func read(_ value: Any) {
                    let parts = Mirror(reflecting: value).children
                    if parts.isEmpty { said.insert("\(value)") }
                    for part in parts { read(part.value) }
                }
                read(stored)
                texts.append(said.subtracting([stored.id.description]))
            }
            #expect(texts[0] == texts[1], "A moment of the sprint would differ.")
            #expect(!texts[0].contains(fixture.lead.description))
        }
    }
}
