import ArgumentParser
import Domain
import Foundation
import Services
import Storage

/// `BenchmarkSeed devices`: creates a team whose members have a phone each and are all due a reminder.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Makes a team whose members have a device each.")

    @Option(help: "How many members.")
    var count: Int

    /// Number of concurrent writes to the store.
    private static let width = 16

    private struct Made: Encodable {
        let team: String
    }

    func run() async throws {
        try await OpenStore.with { store in
            let team = try await store.addTeam("Devices")
            let sessions = try await withThrowingTaskGroup(of: Session.self) { group in
                var sessions: [Session] = []
                for index in 0..<count {
                    if index >= Self.width, let session = try await group.next() { sessions.append(session) }
                    group.addTask { try await addOwner(index, to: store) }
                }
                for try await session in group { sessions.append(session) }
                return sessions
            }
            // One at a time: each increases the team's member count, and on MongoDB concurrent writes would only
            // conflict.
            for session in sessions {
                try await store.stores.transaction {
                    try $0.add(Membership(teamID: team.id, userID: session.userID), secret: store.secrets.ballot)
                }
            }
            try printJSON(Made(team: team.id.description))
        }
    }

    private func addOwner(_ index: Int, to store: OpenStore) async throws -> Session {
        let session = try await store.addUser("owner\(index)").session
        let device = Device(
            userID: session.userID, sessionID: session.id, address: .fcm(token: "benchmark-token-\(session.userID)"),
            platform: .android, appVersion: nil, locale: "en", refreshed: CalendarDay(instant: Date(), in: .gmt))
        _ = try await store.stores.register(device, limit: 1)
        return session
    }
}
