import Crypto
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import ObjectStorage
import Ports
import Services
import Storage
import TestSupport

@testable import HappinessAPI

/// The complete server except for its socket, on a real SQLite store in a folder of its own.
struct TestApp: Sendable {
    /// The password of all test users.
    static let password = "purple lamp 9"
    /// The middle of sprint 2026/2 in UTC.
    static let now = TestTeam.firstMonday + 20 * TestTeam.day

    let stores: Stores
    let secrets: Secrets
    let clock: SettableClock
    /// The store of the pictures.
    let objects: any ObjectStore
    /// Contains all files of the server except the store's.
    let directory: TemporaryDirectory
    let log: CapturedLog
    /// Notifies listeners of publications.
    let feed: PublicationFeed
    /// The server's counters.
    let activity: ServerActivity
    /// The spans of all requests.
    let spans: SpanRecorder
    /// The socket's port, with `TestingSetup.live`.
    var port: Int? { client.port }

    private let client: any TestClientProtocol
    private let hasher: PasswordHasher
    private let logins: LoginService

    /// Read once: templates and texts are much to parse.
    private static let files = Result { try ServerFiles(Repository.resources) }

    /// Runs `body` with an app and closes everything afterwards.
    static func with(
        now: Date = TestApp.now, settings: [String: String] = [:], vapid: VAPIDKey? = nil,
        objects: (any ObjectStore)? = nil, files: ServerFiles? = nil, over setup: TestingSetup = .router,
        _ body: @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await with(
                stores: stores, now: now, settings: settings, vapid: vapid, objects: objects, files: files, over: setup,
                body)
        }
    }

    /// The same on given stores.
    /// - Parameters:
    ///   - objects: the store of the pictures; a folder by default.
    ///   - files: needed by tests that customise texts; by default those that all apps share.
    static func with(
        stores: Stores, now: Date = TestApp.now, settings values: [String: String] = [:], vapid: VAPIDKey? = nil,
        objects: (any ObjectStore)? = nil, files: ServerFiles? = nil, over setup: TestingSetup = .router,
        _ body: @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await TemporaryDirectory.with { directory in
            try await with(
                stores: stores, now: now, settings: values, vapid: vapid,
                objects: objects ?? FileObjectStore(folder: directory.path("objects")), files: files,
                in: directory, over: setup, body)
        }
    }

    private static func with(
        stores: Stores, now: Date, settings values: [String: String], vapid: VAPIDKey?, objects: any ObjectStore,
        files: ServerFiles?, in directory: TemporaryDirectory, over setup: TestingSetup,
        _ body: @Sendable (TestApp) async throws -> Void
    ) async throws {
        let settings = try Settings(values: values)
        let path = PublicPath(publicURL: settings.server.publicURL)
        let files =
            try files
            ?? (path.text.isEmpty ? Self.files.get() : ServerFiles(Repository.resources, publicPath: path))
        let secrets = Secrets(jwt: SymmetricKey(size: .bits256), ballot: TestTeam.secret, vapid: vapid)
        let clock = SettableClock(now)
        let log = CapturedLog()
        let spans = SpanRecorder(ratio: 1, clock: clock.wall, metrics: PrometheusMetrics())
        let hasher = try PasswordHasher(cost: PasswordHasher.costs.lowerBound)
        let parts = try AppParts(
            AppEnvironment(
                stores: stores, secrets: secrets, settings: settings, hasher: hasher,
                pictures: PictureEnvironment(
                    objects: objects, maker: PictureProcess(logger: log.logger),
                    uploads: try UploadFolder(dataDirectory: directory.path("data"), logger: log.logger)),
                clock: clock.wall, checksClock: false, spans: spans, files: files, logger: log.logger)
        )
        defer { parts.ballotBox.close() }
        let logins = try LoginService(
            stores: stores, secrets: secrets, hasher: hasher, settings: settings.accounts,
            memberships: MembershipCache(stores: stores, clock: clock.wall), clock: clock.wall)
        let feed = parts.publicationFeed
        let activity = parts.activity
        let application = buildApplication(parts, settings: settings.server, logger: log.logger)
        try await application.test(setup) { client in
            try await body(
                TestApp(
                    stores: stores, secrets: secrets, clock: clock, objects: objects, directory: directory, log: log,
                    feed: feed, activity: activity, spans: spans, client: client, hasher: hasher, logins: logins))
        }
    }
}

// MARK: - Requests

extension TestApp {
    /// Sends a request unchanged.
    func send(
        _ method: HTTPRequest.Method, _ uri: String, token: String? = nil, headers: HTTPFields = [:],
        body: ByteBuffer? = nil
    ) async throws -> TestResponse {
        var headers = headers
        if let token, headers[.authorization] == nil { headers[.authorization] = "Bearer \(token)" }
        return try await client.execute(uri: uri, method: method, headers: headers, body: body)
    }

    func get(_ uri: String, token: String? = nil, headers: HTTPFields = [:]) async throws -> TestResponse {
        try await send(.get, uri, token: token, headers: headers)
    }

    /// Sends the text as JSON, valid or not.
    func post(_ uri: String, token: String? = nil, json: String) async throws -> TestResponse {
        try await send(
            .post, uri, token: token, headers: [.contentType: "application/json; charset=utf-8"],
            body: ByteBuffer(string: json))
    }

    /// Sends an encoded form.
    func post(_ uri: String, token: String? = nil, form: String) async throws -> TestResponse {
        try await send(
            .post, uri, token: token, headers: [.contentType: "application/x-www-form-urlencoded"],
            body: ByteBuffer(string: form))
    }
}

// MARK: - People and what is stored

extension TestApp {
    /// Creates a user with `password`.
    func makeUser(_ name: String, role: User.Role = .member, defaultTeamID: Team.ID? = nil) async throws -> User {
        let user = User(
            name: try UserName(name), email: try EmailAddress("\(name)@example.org"), role: role,
            passwordHash: try await hasher.hash(Self.password), defaultTeamID: defaultTeamID)
        try await stores.insert(user)
        return user
    }

    /// A token of the classic login.
    func token(of user: User) async throws -> String {
        try await logins.logIn(
            login: user.name, password: Self.password, device: "test", address: "192.0.2.1", lifetime: .classic
        ).accessToken
    }

    /// A team whose members have tokens; the first one leads it.
    func makeTeam(
        _ name: String = "Blue", members count: Int = 1, settings: TeamSettings = TeamSettings()
    ) async throws -> SignedInTeam {
        let team = Team(name: name, settings: settings)
        try await stores.insert(team)
        var members: [SignedInTeam.Member] = []
        for number in 0..<count {
            // A "+" would make all of them one mailbox.
            let user = try await makeUser("\(name.lowercased().replacing("+", with: "-"))\(number)")
            try await stores.add(Membership(teamID: team.id, userID: user.id, role: number == 0 ? .lead : .member))
            members.append(SignedInTeam.Member(user: user, token: try await token(of: user)))
        }
        return SignedInTeam(id: team.id, members: members)
    }

    /// Casts a ballot over HTTP in the running sprint 2026/2.
    func vote(_ member: SignedInTeam.Member, in team: SignedInTeam, _ happiness: Double = 7, feedback: String? = nil)
        async throws -> TestResponse
    {
        let body = try JSONEncoder().encode(VoteBody(happiness: happiness, feedback: feedback))
        return try await post(
            "\(team.path)/sprints/2026/2/ballots", token: member.token, json: String(decoding: body, as: UTF8.self))
    }

    /// The tally of the sprint that runs at `now`; `nil` if it has not been started.
    func tally(of team: SignedInTeam) async throws -> Tally? {
        try await stores.latestSprint(of: team.id)?.state.current
    }

    private struct VoteBody: Encodable {
        let happiness: Double
        let feedback: String?
    }
}

/// A team and the tokens of its members.
struct SignedInTeam: Sendable {
    struct Member: Sendable {
        let user: User
        let token: String
    }

    let id: Team.ID
    let members: [Member]

    var path: String { "/api/v1/teams/\(id)" }
    var lead: Member { members[0] }
}

// MARK: - Answers

extension TestResponse {
    var text: String { String(buffer: body) }

    /// The members of the body's JSON object; empty if it is none.
    var object: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }

    /// Status and body, as a classic client reads them.
    var classic: String { "\(status.code) \(text)" }
}
