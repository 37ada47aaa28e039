public import Foundation
import HTTPTypes
import ObliviousHTTP

/// A relay, which forwards ballots without being able to read them.
///
/// Another organisation than the one of the installation runs it. It knows who sends and not what; the installation
/// knows what and not who. It holds ballots back so that several go on together, so a ballot is counted up to a day
/// after it was sent, but before its sprint closes.
public struct BallotRelay: Sendable {
    /// Such as `https://relay.example.org`.
    public let address: URL
    private let exchange: HTTPExchange

    /// Bytes of every message before it is encrypted, so that its length says nothing.
    private static let size = 36 * 1024

    /// A relay; sends nothing yet.
    public init(address: URL) {
        self.address = HappinessServer(address: address).address
        exchange = HTTPExchange(server: self.address)
    }

    /// What has become of a ballot.
    public enum State: Hashable, Sendable {
        /// The relay has it.
        case waiting
        /// The installation has counted it, now or before.
        case counted
        /// The relay does not know it, or the installation could not count it: encrypt the ballot again, and send that.
        case unknown
    }

    /// Encrypts a ballot for the installation behind the relay.
    /// - Parameters:
    ///   - happiness: from 0 to 10, in tenths.
    ///   - feedback: at most 2,000 characters, without a name; `nil` for none.
    ///   - paper: signed.
    /// - Throws: ``ClientError``.
    public func encrypt(
        happiness: Double, feedback: String?, with paper: BallotPaper
    ) async throws(ClientError) -> RelayedBallot {
        let body = try SealedBallot(happiness: happiness, feedback: feedback, paper: paper).encoded()
        let request = try await request(.post, "/api/v1/ballots", body: body)
        return RelayedBallot(
            ticket: UUID().uuidString.replacing("-", with: ""), message: Data(request.message),
            answerKey: request.answerKey)
    }

    /// Hands a ballot to the relay. Store it before: until ``state(of:)`` says that it is counted, it may have to be
    /// sent again. Handing over the same one twice does no harm.
    /// - Parameter end: ``CurrentSprint/closes``; the relay does not hold the ballot back for longer.
    /// - Throws: ``ClientError``: `unreachable`.
    public func send(_ ballot: RelayedBallot, before end: Date) async throws(ClientError) {
        let answer = try await exchange.raw(
            "/mixed/\(ballot.ticket)?before=\(Int(end.timeIntervalSince1970))", method: "PUT", body: ballot.message,
            mediaType: ObliviousRequest.mediaType)
        try HTTPExchange.check(answer.status, answer.body)
    }

    /// Asks what has become of a ballot. The installation does not notice.
    /// - Throws: ``ClientError``: `refused` by the installation, such as `sprint-not-open`.
    public func state(of ballot: RelayedBallot) async throws(ClientError) -> State {
        let answer = try await exchange.raw("/mixed/\(ballot.ticket)", method: "GET")
        switch answer.status {
        case 202: return .waiting
        case 404: return .unknown
        // The installation has another key now.
        case 400 where String(decoding: answer.body, as: UTF8.self).contains("#ohttp-key"): return .unknown
        default: try HTTPExchange.check(answer.status, answer.body)
        }
        let body: Data
        do throws(ClientError) {
            body = try Self.opened(answer.body, with: ballot.answerKey)
        } catch {
            if case .refused(let problem) = error, problem.reason == "already-counted" { return .counted }
            // The installation couldn’t count it, and the relay keeps this answer.
            if case .unreachable = error { return .unknown }
            throw error
        }
        guard (try? JSONDecoder().decode(CountedAnswer.self, from: body))?.counted == true else {
            throw .notUnderstood("The server didn’t count the ballot.")
        }
        return .counted
    }

    /// A ballot key, as the installation shows it to strangers.
    /// - Parameter id: 64 hexadecimal digits.
    /// - Throws: as ``HappinessServer/ballotKey(id:)``.
    public func ballotKey(id: String) async throws(ClientError) -> BallotKey {
        let request = try await request(.get, "/api/v1/ballot-keys/\(id)", body: Data())
        let answer = try await exchange.raw(
            "/now", method: "POST", body: Data(request.message), mediaType: ObliviousRequest.mediaType)
        try HTTPExchange.check(answer.status, answer.body)
        let body = try Self.opened(answer.body, with: request.answerKey)
        guard let key = try (try? JSONDecoder().decode(KeyAnswer.self, from: body))?.key(), key.id == id else {
            throw .keyDiffers(.notValid)
        }
        return key
    }

    private func request(
        _ method: HTTPRequest.Method, _ path: String, body: Data
    ) async throws(ClientError) -> ObliviousRequest {
        let keys = try await exchange.raw("/keys", method: "GET")
        try HTTPExchange.check(keys.status, keys.body)
        // The gateway knows its own name; a real one here would only be longer.
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "gateway", path: path,
            headerFields: body.isEmpty ? [:] : [.contentType: "application/json"])
        do {
            return try ObliviousRequest(
                BinaryHTTP.encode(request, content: Array(body), paddedTo: Self.size),
                for: try KeyConfiguration(list: keys.body))
        } catch {
            throw .notUnderstood("\(address.absoluteString) isn’t a relay for ballots.")
        }
    }

    /// The content of the installation's answer.
    private static func opened(_ answer: Data, with key: AnswerKey) throws(ClientError) -> Data {
        let (response, content): (HTTPResponse, [UInt8])
        do {
            (response, content) = try BinaryHTTP.decodeResponse(try key.open(answer))
        } catch {
            throw .notUnderstood("The relay’s answer isn’t one to this ballot.")
        }
        try HTTPExchange.check(response.status.code, Data(content))
        return Data(content)
    }
}

/// A ballot that is encrypted for an installation, and on its way through a relay.
public struct RelayedBallot: Codable, Hashable, Sendable {
    /// 32 hexadecimal digits; with them the relay finds the answer.
    let ticket: String
    let message: Data
    let answerKey: AnswerKey
}
