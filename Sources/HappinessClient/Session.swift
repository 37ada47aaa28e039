public import Foundation

/// The tokens of a member. They are as secret as a password.
public struct Login: Codable, Hashable, Sendable {
    /// For the header `Authorization`.
    public let accessToken: String
    /// The access token is valid until then, by the clock of this device.
    public let expires: Date
    /// Gets the next pair of tokens, once.
    public let refreshToken: String
}

/// An installation, as a member who is logged in sees it.
///
/// Renews the tokens when they expire. All methods throw ``ClientError``, and what `save` throws.
public actor Session {
    /// The installation.
    public nonisolated let server: HappinessServer
    private var logIn: Login
    private let save: @Sendable (Login) async throws -> Void
    private let exchange: HTTPExchange
    private var renewal: Task<Login, any Error>?

    /// Seconds before its end at which an access token is renewed.
    private static let margin: TimeInterval = 30

    /// Uses a login; sends nothing yet.
    /// - Parameters:
    ///   - server: where the member is logged in.
    ///   - logIn: the latest tokens.
    ///   - save: keeps new tokens on the device. The old ones are of no use after it.
    public init(server: HappinessServer, logIn: Login, save: @escaping @Sendable (Login) async throws -> Void) {
        self.server = server
        self.logIn = logIn
        self.save = save
        exchange = HTTPExchange(server: server.address)
    }

    /// The member.
    public func member() async throws -> Member { try await json("/api/v1/me") }

    /// The member's teams, by name.
    public func teams() async throws -> [Team] {
        struct Response: Decodable { let teams: [Team] }
        return try await json("/api/v1/teams", as: Response.self).teams
    }

    /// The running sprint of a team.
    /// - Parameter team: its id.
    public func currentSprint(of team: String) async throws -> CurrentSprint {
        try await json("/api/v1/teams/\(team)/sprints/current")
    }

    /// A team's sprints with their published results, in order of their start.
    /// - Parameters:
    ///   - team: its id.
    ///   - year: `nil` for the latest 520.
    public func sprints(of team: String, year: Int? = nil) async throws -> [Sprint] {
        struct Response: Decodable { let sprints: [Sprint] }
        let query = year.map { "?year=\($0)" } ?? ""
        return try await json("/api/v1/teams/\(team)/sprints\(query)", as: Response.self).sprints
    }

    /// A team's published sprints as CSV (RFC 4180), with a header line.
    /// - Parameters:
    ///   - team: its id.
    ///   - year: `nil` for all.
    public func historyCSV(of team: String, year: Int? = nil) async throws -> String {
        let query = year.map { "?year=\($0)" } ?? ""
        return String(decoding: try await data("/api/v1/teams/\(team)/history.csv\(query)"), as: UTF8.self)
    }

    /// Everything that the installation stores about the member, as JSON.
    public func personalData() async throws -> Data { try await data("/api/v1/me/export") }

    /// Gets a paper signed. If that fails, call it again with the same paper, as it was kept.
    ///
    /// The member has then used their vote: they need this paper to cast it.
    /// - Throws: ``ClientError``: `rejected` with the reason `already-voted` if the member has voted or has got another
    ///   paper in this sprint, or `sprint-not-open`; `keyDiffers`.
    public func sign(_ paper: inout BallotPaper) async throws {
        guard let blinding = paper.blinding else { return }
        struct Response: Decodable { let blindSignature: String }
        let response = try await json(
            "/api/v1/teams/\(paper.team)/sprints/\(paper.sprint)/ballot-papers",
            body: ["blindedMessage": blinding.message.base64URL], as: Response.self)
        guard let signature = Data(base64URL: response.blindSignature) else {
            throw ClientError.keyDiffers(.notTheSigner)
        }
        try paper.sign(with: signature)
    }

    /// Ends the session on the server.
    public func logOut() async throws {
        _ = try await data("/api/v1/auth/logout", body: [String: String]())
    }

    func json<Response: Decodable & Sendable>(
        _ path: String, body: (any Encodable & Sendable)? = nil, as: Response.Type = Response.self
    ) async throws -> Response {
        try await withToken { [exchange] token in try await exchange.json(path, token: token, body: body) }
    }

    private func data(_ path: String, body: (any Encodable & Sendable)? = nil) async throws -> Data {
        try await withToken { [exchange] token in try await exchange.send(path, token: token, body: body).body }
    }

    /// Sends a request, once more with a new token if the server does not accept the present one: its clock may differ.
    private func withToken<Response: Sendable>(
        _ send: @Sendable (_ token: String) async throws -> Response
    ) async throws -> Response {
        let isFresh = logIn.expires > .now.addingTimeInterval(Self.margin)
        let used = isFresh ? logIn : try await renewed(logIn)
        do {
            return try await send(used.accessToken)
        } catch ClientError.loggedOut where isFresh {
            return try await send(try await renewed(used).accessToken)
        }
    }

    /// The tokens after `old`. Requests at the same time share one renewal, which a cancelled request must not end: the
    /// server has then perhaps used up the old token.
    private func renewed(_ old: Login) async throws -> Login {
        guard logIn == old else { return logIn }
        let task: Task<Login, any Error>
        if let renewal {
            task = renewal
        } else {
            task = Task { [exchange] in
                try await exchange.json(
                    "/api/v1/auth/refresh", body: ["refreshToken": old.refreshToken], as: TokensResponse.self
                ).logIn
            }
            renewal = task
        }
        defer { if renewal == task { renewal = nil } }
        let new = try await task.value
        if logIn != new {
            logIn = new
            try await save(new)
        }
        return new
    }
}
