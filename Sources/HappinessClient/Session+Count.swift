import Foundation

extension Session {
    /// The count of a sprint that is over. Only its address is asked for with the login: the list itself is read like by
    /// everybody else, over a connection of its own.
    /// - Parameters:
    ///   - sprint: its label, such as `2026/23`.
    ///   - team: its id.
    /// - Throws: ``ClientError``: `rejected` with the reason `count-not-checkable`; `notUnderstood` if the list does
    ///   not have the form that it must have.
    public func count(of sprint: String, in team: String) async throws -> SprintCount {
        struct Response: Decodable { let address: String? }
        let response = try await json("/api/v1/teams/\(team)/sprints/\(sprint)/count", as: Response.self)
        guard let address = response.address else {
            throw ClientError.notUnderstood(
                "The server shows this count only to people who are logged in. Is it older than this program?")
        }
        // Any other address could lead to another server.
        let start = "/api/v1/counts/\(team)/\(sprint)/"
        guard address.hasPrefix(start),
            String(address.dropFirst(start.count)).wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil
        else { throw ClientError.notUnderstood("The server gave the count an address that it can’t have.") }
        let list = try await HTTPExchange(server: server.address).json(address, as: CountResponse.self)
        guard let count = SprintCount(list, of: sprint, in: team) else {
            throw ClientError.notUnderstood(
                "The server’s list of this count isn’t as it must be. Tell your team, unless this program is older.")
        }
        return count
    }
}

/// A count, on its way.
struct CountResponse: Decodable {
    let team: String
    let sprint: String
    let votes: Int
    let sum: Int
    let randomness: String
    let members: Int
    let key: String?
    let papers: Papers?
    let commitments: [String]

    struct Papers: Decodable {
        let issued: Int
        let spent: [Paper]
    }

    /// One that was spent with version 0.1.0 has a hash only.
    struct Paper: Decodable {
        let paper: String?
        let signature: String?
        let hash: String?
    }
}
