public import Foundation

/// An installation of Happiness Metric, as people without a login see it.
public struct HappinessServer: Sendable {
    /// Such as `https://happiness.example.org`, or `https://intranet.example.org/mood`. Without a slash at the end.
    public let address: URL

    /// An installation; sends nothing yet.
    /// - Parameter address: in any spelling. ``address`` has one, so that what a device remembers of a server is found
    ///   again.
    public init(address: URL) {
        var parts = URLComponents(url: address, resolvingAgainstBaseURL: true) ?? URLComponents()
        parts.scheme = parts.scheme?.lowercased()
        parts.host = parts.host?.lowercased()
        if parts.port == (parts.scheme == "https" ? 443 : 80) { parts.port = nil }
        while parts.path.hasSuffix("/") { parts.path.removeLast() }
        (parts.query, parts.fragment) = (nil, nil)
        self.address = parts.url ?? address
    }

    /// Logs a member in.
    /// - Parameters:
    ///   - name: the user name or the mail address.
    ///   - password: the member's.
    /// - Throws: ``ClientError``: `loggedOut` if the name or the password is wrong.
    public func logIn(name: String, password: String) async throws(ClientError) -> Login {
        try await HTTPExchange(server: address).json(
            "/api/v1/auth/login", body: ["username": name, "password": password], as: TokensResponse.self
        ).logIn
    }

    /// The ballot key of a sprint, open or closed: asked for without a token and over a connection of its own, so that
    /// the server does not know for whom it is. It must be the first one that this device saw in the sprint. Whether
    /// others have the same shows only if people compare ``BallotKey/digits``.
    /// - Parameters:
    ///   - sprint: its label, such as `2026/23`.
    ///   - team: its id.
    ///   - first: the id of the key that this device saw first in the sprint, also before a log-out; `nil` if it has
    ///     seen none.
    /// - Throws: ``ClientError``: `rejected` (`no-such-ballot-key`) if team or sprint does not exist, or the sprint was
    ///   over before it had a key; `keyDiffers`.
    public func ballotKey(
        of sprint: String, in team: String, first: String? = nil
    ) async throws(ClientError) -> BallotKey {
        // Another spelling would be another sprint to what the device remembers.
        guard sprint.wholeMatch(of: /[1-9]\d{0,3}\/(?:0|[1-9]\d?)[b-z]?/) != nil,
            team.wholeMatch(of: /[0-9a-f]{32}/) != nil
        else { throw .notUnderstood("The server gave a sprint or a team a name that it can’t have.") }
        let response = try await HTTPExchange(server: address).json(
            "/api/v1/sprint-ballot-keys/\(team)/\(sprint)", as: KeyResponse.self)
        let key = try response.key()
        guard first == nil || first == key.id else { throw .keyDiffers(.notTheFirst) }
        return key
    }

    /// Casts a sealed ballot: without a token, and over a connection of its own, because the one of the login would
    /// name the voter. Returns once it is counted, also if an earlier request has already done that.
    /// - Parameters:
    ///   - happiness: from 0 to 10, in tenths.
    ///   - feedback: at most 2,000 characters, without a name; `nil` for none.
    ///   - paper: signed. Another ballot with the same paper is not counted.
    /// - Throws: ``ClientError``: `unreachable` if it may be counted or not; then send the same ballot again.
    public func cast(happiness: Double, feedback: String?, with paper: BallotPaper) async throws(ClientError) {
        let ballot = try SealedBallot(happiness: happiness, feedback: feedback, paper: paper)
        do throws(ClientError) {
            // Any other answer with status 200, such as the login page of a network, says nothing about the ballot.
            let response = try await HTTPExchange(server: address).json(
                "/api/v1/ballots", sending: ballot.body, as: CountedResponse.self)
            guard response.counted else { throw .notUnderstood("The server didn’t count the ballot.") }
        } catch {
            // The answer to an earlier request was lost.
            if case .rejected(let problem) = error, problem.reason == "already-counted" { return }
            throw error
        }
    }
}

/// The answer to a ballot, on its way.
struct CountedResponse: Decodable {
    let counted: Bool
}

/// A public ballot key, on its way.
struct KeyResponse: Decodable {
    let id: String
    let publicKey: String

    /// - Throws: ``ClientError/keyDiffers(_:)`` (`notValid`) if the id does not belong to the key.
    func key() throws(ClientError) -> BallotKey {
        guard let bytes = Data(base64URL: publicKey) else { throw .keyDiffers(.notValid) }
        let key = try BallotKey(publicKey: bytes)
        guard key.id == id else { throw .keyDiffers(.notValid) }
        return key
    }
}

/// New tokens, on their way.
struct TokensResponse: Decodable {
    let accessToken: String
    /// Seconds.
    let expiresIn: Double
    let refreshToken: String

    var logIn: Login {
        Login(accessToken: accessToken, expires: Date.now.addingTimeInterval(expiresIn), refreshToken: refreshToken)
    }
}
