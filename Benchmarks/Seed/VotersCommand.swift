import ArgumentParser
import Domain
import Foundation
import Services
import Storage

/// `BenchmarkSeed voters`: creates a large team of logged-in voters, a team with a history, and users who log in with a
/// password.
struct VotersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "voters", abstract: "Makes voters and writes an access token for each.")

    @Option(help: "How many voters.")
    var count: Int

    @Option(help: "File that takes the tokens, one a line.")
    var tokens: String

    @Option(help: "How many people can log in by password.")
    var logins = 8

    /// Number of concurrent writes to the store. With more MongoDB gets no faster, and SQLite has one writer anyway.
    private static let width = 16
    /// Number of voters who are also in the team with a history: the first ones of the file.
    private static let readers = 64

    private struct Made: Encodable {
        let team: String
        let historyTeam: String
        let historyYear: Int
        let readers: Int
        let logins: [String]
        let password: String
    }

    func run() async throws {
        try await OpenStore.with { store in
            let voters = try await addVoters(to: store)
            let team = try await store.addTeam("Voters")
            // One at a time: each increases the team's member count, and on MongoDB concurrent writes would only
            // conflict.
            for voter in voters {
                try await store.stores.transaction {
                    try $0.add(Membership(teamID: team.id, userID: voter.userID), secret: store.secrets.ballot)
                }
            }
            // Never votes, so that the sprint is never complete and does not close early.
            let (absentee, _) = try await store.addUser("absentee")
            try await store.stores.transaction {
                try $0.add(Membership(teamID: team.id, userID: absentee.id), secret: store.secrets.ballot)
            }

            let history = try await addHistory(to: store, readers: voters.prefix(Self.readers))
            let password = PasswordGenerator.password()
            let names = try await addLogins(to: store, password: password)
            try await store.writeTokens(of: voters, to: tokens)
            try printJSON(
                Made(
                    team: team.id.description, historyTeam: history.team.id.description, historyYear: history.year,
                    readers: min(Self.readers, voters.count), logins: names, password: password))
        }
    }

    private func addVoters(to store: OpenStore) async throws -> [Session] {
        try await withThrowingTaskGroup(of: Session.self) { group in
            var sessions: [Session] = []
            for index in 0..<count {
                if index >= Self.width, let session = try await group.next() { sessions.append(session) }
                group.addTask { try await store.addUser("voter\(index)").session }
            }
            for try await session in group { sessions.append(session) }
            return sessions
        }
    }

    /// Last year's sprints, all published, in a separate team: reading a history starts the team's running sprint,
    /// which would conflict with the voters' short ones.
    private func addHistory(
        to store: OpenStore, readers: ArraySlice<Session>
    ) async throws -> (team: Team, year: Int) {
        let team = try await store.addTeam("History")
        for reader in readers {
            try await store.stores.transaction {
                try $0.add(Membership(teamID: team.id, userID: reader.userID), secret: store.secrets.ballot)
            }
        }
        let settings = team.settings
        let year = settings.calendar.span(containing: Date(), in: settings.zone).label.year - 1
        let spans = settings.calendar
            .spans(from: Date(timeIntervalSinceNow: -800 * 86_400), until: Date(), in: settings.zone)
            .filter { $0.label.year == year }
        try await store.stores.importSprints(
            try spans.map { span in
                var state = PublicationState.initial
                let values = try (0..<readers.count).map { try Happiness(tenths: 40 + $0 % 61) }
                state.count(values, policy: settings.policy, threshold: settings.threshold)
                state.close(policy: settings.policy, threshold: settings.threshold)
                return SprintRecord(
                    sprint: Sprint(
                        teamID: team.id, start: span.start, end: span.end, closes: span.end, label: span.label,
                        threshold: settings.threshold, policy: settings.policy),
                    state: state, eligible: readers.count)
            })
        return (team, year)
    }

    private func addLogins(to store: OpenStore, password: String) async throws -> [String] {
        let hash = try await PasswordHasher(cost: 12).hash(password)
        let names = (0..<logins).map { "login\($0)" }
        for name in names {
            _ = try await store.addUser(name, passwordHash: hash)
        }
        return names
    }
}
