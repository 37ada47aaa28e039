import Crypto
import Domain
import Foundation
import GRDB
import Mongo
import Services
import Storage
import TestSupport
import Testing

/// A folder, a store and settings to run the real programs with.
struct Installation: Sendable {
    enum Store: String, CaseIterable {
        case sqlite
        case mongodb
    }

    let directory: TemporaryDirectory
    let settings: [String: String]

    /// Runs `body` with an installation in which no program has run yet.
    /// - Parameter server: for MongoDB; by default the one shared by all tests.
    static func with(
        _ store: Store, server: MongoServer? = nil, _ body: (Installation) async throws -> Void
    ) async throws {
        try await TemporaryDirectory.with { directory in
            var settings = [
                "DATA_DIR": directory.path("data"), "JWT_SECRET": tokenSecret, "BALLOT_SECRET": receiptSecret,
                "BCRYPT_COST": "4",
            ]
            if store == .mongodb {
                let mongod: MongoServer
                if let server { mongod = server } else { mongod = try await MongoServer.shared }
                settings["DATABASE_URL"] = mongod.uri()
            }
            try await body(Installation(directory: directory, settings: settings))
        }
    }

    static let tokenSecret = "a secret of tests that signs the tokens"
    static let receiptSecret = "a secret of tests that keys the receipts"

    /// Starts the API, with additional settings if given.
    func serve(_ other: [String: String] = [:]) async throws -> (process: ServerProcess, url: String) {
        try await ServerProcess.serve(settings: settings.merging(other) { $1 }, in: directory)
    }

    /// Runs a program to its end; `nil` removes a setting.
    func run(
        _ program: ServerProcess.Program, _ arguments: String..., settings other: [String: String?] = [:],
        input: String = ""
    ) async throws -> (status: Int32, output: String, log: String) {
        var settings = settings
        for (key, value) in other { settings[key] = value }
        return try await ServerProcess.run(program, arguments, settings: settings, in: directory, input: input)
    }

    /// Runs `body` with the store itself, while other programs may use it.
    func withStores<Value>(_ body: (Stores) async throws -> Value) async throws -> Value {
        let stores = try Settings(values: settings).store.open()
        let result: Result<Value, any Error>
        do {
            _ = try await stores.system.migrate()
            result = .success(try await body(stores))
        } catch {
            result = .failure(error)
        }
        try await stores.system.close()
        return try result.get()
    }

    /// Databases of MongoDB that were made to verify a backup of this one.
    func scratchDatabases() async throws -> [String] {
        guard let uri = settings["DATABASE_URL"] else { return [] }
        return try await MongoClient(uri: uri).run { database in
            try database.adminCommand(["listDatabases": 1, "nameOnly": true])["databases"]?.arrayValue?
                .compactMap { $0.documentValue?["name"]?.stringValue }
                .filter { $0 != database.name && $0.hasPrefix(database.name) } ?? []
        }
    }

    /// Loses the store, as on a new machine with the old settings.
    func loseStore() async throws {
        if let uri = settings["DATABASE_URL"] {
            try await MongoClient(uri: uri).run { try $0.drop() }
        } else {
            let data = directory.path("data")
            for file in try FileManager.default.contentsOfDirectory(atPath: data)
            where file.hasPrefix("happiness.sqlite") {
                try FileManager.default.removeItem(atPath: "\(data)/\(file)")
            }
        }
    }

    /// Deletes every receipt behind the programs' back.
    func loseReceipts() async throws {
        if let uri = settings["DATABASE_URL"] {
            _ = try await MongoClient(uri: uri).run { try $0.collection("userSprints").deleteMany([:]) }
        } else {
            let queue = try DatabaseQueue(path: directory.path("data/happiness.sqlite"))
            try await queue.write { try $0.execute(sql: "DELETE FROM userSprints") }
        }
    }
}

/// A team that votes over HTTP, with tokens signed directly with the installation's secret.
struct VotingTeam: Sendable {
    struct Voter: Sendable {
        let userID: User.ID
        let token: String
        let tenths: Int
    }

    let id: Team.ID
    let voters: [Voter]
    /// One more member. The sprint stays open until they vote too.
    let last: Voter
    let secret: BallotSecret

    static func make(
        _ count: Int, in stores: Stores, settings: TeamSettings = TeamSettings()
    ) async throws -> VotingTeam {
        let team = try await TestTeam.make(in: stores, members: count + 1, settings: settings)
        let secrets = try Secrets.load(
            try Settings(values: [
                "JWT_SECRET": Installation.tokenSecret, "BALLOT_SECRET": Installation.receiptSecret,
            ]))
        let tokens = try AccessTokens(secret: secrets.jwt)
        var voters: [Voter] = []
        for (index, member) in team.members.enumerated() {
            let now = Date()
            let token = try await tokens.issue(for: member, issued: now, expires: now + TestTeam.day)
            voters.append(Voter(userID: member.userID, token: token, tenths: index % 101))
        }
        return VotingTeam(
            id: team.team.id, voters: voters.dropLast(), last: try #require(voters.last), secret: secrets.ballot)
    }

    /// Casts a voter's ballot in the running sprint.
    func vote(_ voter: Voter, at url: String, sprint: SprintLabel) async throws -> HTTPProbe.Response {
        try await HTTPProbe.post(
            "\(url)/api/v1/teams/\(id)/sprints/\(sprint)/ballots", token: voter.token,
            json: #"{"happiness":\#(Double(voter.tenths) / 10),"feedback":"from \#(voter.tenths)"}"#)
    }

    /// The voters who have a receipt.
    func counted(in sprint: Sprint.Key, stores: Stores) async throws -> [Voter] {
        var counted: [Voter] = []
        for voter in voters {
            let receipt = Receipt(secret: secret, sprint: sprint, userID: voter.userID)
            if try await stores.ballots.contains(receipt) { counted.append(voter) }
        }
        return counted
    }
}
