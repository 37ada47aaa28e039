import Domain
import Foundation
import Services
import Storage

/// The store and the secrets from the settings, opened and migrated.
struct OpenStore {
    let stores: Stores
    let secrets: Secrets

    /// Opens the store for `body` and closes it afterwards.
    static func with<Result>(_ body: (OpenStore) async throws -> Result) async throws -> Result {
        let settings = try await Settings.load()
        let stores = try settings.store.open()
        do {
            _ = try await stores.system.migrate()
            let result = try await body(OpenStore(stores: stores, secrets: try Secrets.load(settings)))
            try await stores.system.close()
            return result
        } catch {
            try await stores.system.close()
            throw error
        }
    }

    /// Adds a logged-in user whose session outlives any benchmark.
    func addUser(
        _ name: String, role: User.Role = .member, passwordHash: String? = nil
    ) async throws -> (user: User, session: Session) {
        let now = Date()
        let user = User(
            name: try UserName(name), email: try EmailAddress("\(name)@example.org"), role: role,
            passwordHash: passwordHash, createdOn: CalendarDay(instant: now, in: .gmt))
        try await stores.transaction { try $0.add(user) }
        let session = Self.session(of: user.id)
        try await stores.transaction { try $0.add(session) }
        return (user, session)
    }

    /// A session that outlives any benchmark, and is not stored yet.
    static func session(of userID: User.ID) -> Session {
        let now = Date()
        return Session(
            userID: userID, device: "Benchmark", expires: now.addingTimeInterval(86_400),
            lastUsed: CalendarDay(instant: now, in: .gmt))
    }

    /// Adds a team with the default settings.
    func addTeam(_ name: String) async throws -> Team {
        let team = Team(name: name)
        try await stores.transaction { try $0.add(team) }
        return team
    }

    /// Writes an access token of each session to a file, one a line.
    func writeTokens(of sessions: [Session], to path: String) async throws {
        let signer = try AccessTokens(secret: secrets.jwt)
        let now = Date()
        var lines: [String] = []
        lines.reserveCapacity(sessions.count)
        for session in sessions {
            lines.append(
                try await signer.issue(
                    for: Principal(userID: session.userID, sessionID: session.id), issued: now, expires: session.expires
                ))
        }
        try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
}

/// Prints a value as one line of JSON, which `bench.py` and `growth.py` read.
func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
}
