public import Foundation

/// An installation of Happiness Metric, as somebody without a log-in sees it.
public struct HappinessServer: Sendable {
    /// Such as `https://happiness.example.org`.
    public let address: URL

    /// An installation; sends nothing yet.
    public init(address: URL) {
        self.address = address
    }

    /// Logs a member in.
    /// - Parameters:
    ///   - name: the user name or the mail address.
    ///   - password: the member's.
    /// - Throws: ``ClientError``: `loggedOut` if the name or the password is wrong.
    public func logIn(name: String, password: String) async throws(ClientError) -> LogIn {
        try await HTTPExchange(server: address).json(
            "/api/v1/auth/login", body: ["username": name, "password": password], as: TokensAnswer.self
        ).logIn
    }

    /// A ballot key, as everybody sees it.
    /// - Parameter id: 64 hexadecimal digits.
    /// - Throws: ``ClientError``: `refused` (`no-such-ballot-key`), `keyDiffers` if it is not the key of this id.
    public func ballotKey(id: String) async throws(ClientError) -> BallotKey {
        let key = try await HTTPExchange(server: address).json("/api/v1/ballot-keys/\(id)", as: KeyAnswer.self).key()
        guard key.id == id else { throw .keyDiffers(.notValid) }
        return key
    }

    /// Casts a sealed ballot: without a token, and over a connection of its own, since the one of the log-in would
    /// tell whose it is. Returns once it is counted, also if an earlier request has already done that.
    /// - Parameters:
    ///   - happiness: from 0 to 10, in tenths.
    ///   - feedback: at most 2,000 characters, without a name; `nil` for none.
    ///   - paper: signed. Another ballot with the same paper is not counted.
    /// - Throws: ``ClientError``: `unreachable` if it may be counted or not; then send the same ballot again.
    public func cast(happiness: Double, feedback: String?, with paper: BallotPaper) async throws(ClientError) {
        guard let signature = paper.signature else {
            throw .refused(
                Problem(status: 422, reason: "ballot-paper-not-valid", detail: "The paper isn’t signed yet."))
        }
        let ballot = SealedBallot(
            key: paper.key.id, paper: paper.bytes.base64URL, signature: signature.base64URL, happiness: happiness,
            feedback: feedback)
        do {
            _ = try await HTTPExchange(server: address).send("/api/v1/ballots", body: ballot)
        } catch .refused(let problem) where problem.reason == "already-counted" {
            // The answer to an earlier request was lost.
        }
    }

    private struct SealedBallot: Encodable {
        let key: String
        let paper: String
        let signature: String
        let happiness: Double
        let feedback: String?
    }
}

/// A public ballot key, on its way.
struct KeyAnswer: Decodable {
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
struct TokensAnswer: Decodable {
    let accessToken: String
    /// Seconds.
    let expiresIn: Double
    let refreshToken: String

    var logIn: LogIn {
        LogIn(accessToken: accessToken, expires: Date.now.addingTimeInterval(expiresIn), refreshToken: refreshToken)
    }
}
