import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests to one address over connections of its own, without a cache.
final class HTTPExchange: Sendable {
    private let server: URL
    private let session: URLSession

    /// Seconds without an answer after which a request fails.
    private static let patience: TimeInterval = 15

    /// - Parameter keepsCookies: like a browser, until it is released.
    init(server: URL, keepsCookies: Bool = false) {
        self.server = server
        let configuration = URLSessionConfiguration.ephemeral
        if !keepsCookies {
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
        }
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = Self.patience
        session = URLSession(configuration: configuration)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// The body of a successful answer, and its header fields by lower-case name.
    /// - Parameters:
    ///   - path: from the address on, such as `/api/v1/me`; perhaps with a query.
    ///   - token: of the member; `nil` says nothing about who asks.
    ///   - body: makes it a POST.
    func send(
        _ path: String, token: String? = nil, body: (any Encodable & Sendable)? = nil
    ) async throws(ClientError) -> (body: Data, headers: [String: String]) {
        var request = try request(path, body: try body.map(Self.encoded), mediaType: "application/json")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return try await send(request)
    }

    /// Sends a form, and returns the page to which its answer leads.
    func send(form: [String: String], to path: String) async throws(ClientError) -> Data {
        var fields = URLComponents()
        fields.queryItems = form.map { URLQueryItem(name: $0, value: $1) }
        // A plus sign means a space in a form.
        let body = fields.percentEncodedQuery?.replacing("+", with: "%2B") ?? ""
        return try await send(
            try request(path, body: Data(body.utf8), mediaType: "application/x-www-form-urlencoded")
        ).body
    }

    private func request(_ path: String, body: Data?, mediaType: String) throws(ClientError) -> URLRequest {
        guard let url = URL(string: server.absoluteString.trimmingSuffix("/") + path) else {
            throw .notUnderstood("\(server)\(path) isn’t an address.")
        }
        var request = URLRequest(url: url)
        if let body {
            request.httpMethod = "POST"
            request.setValue(mediaType, forHTTPHeaderField: "Content-Type")
            request.httpBody = body
        }
        return request
    }

    private func send(_ request: URLRequest) async throws(ClientError) -> (body: Data, headers: [String: String]) {
        let (data, response) = try await answer(to: request)
        try Self.check(response, data)
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
        return (data, headers)
    }

    /// The JSON of a successful answer.
    func json<Answer: Decodable>(
        _ path: String, token: String? = nil, body: (any Encodable & Sendable)? = nil, as: Answer.Type = Answer.self
    ) async throws(ClientError) -> Answer {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(Answer.self, from: try await send(path, token: token, body: body).body)
        } catch let error as ClientError {
            throw error
        } catch {
            throw .notUnderstood("The answer to \(path) isn’t what this API returns: \(error)")
        }
    }

    private func answer(to request: URLRequest) async throws(ClientError) -> (Data, HTTPURLResponse) {
        do {
            let (data, response) = try await session.data(for: request)
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            return (data, response)
        } catch {
            throw .unreachable("\(server.absoluteString) doesn’t answer: \(error.localizedDescription)")
        }
    }

    private static func encoded(_ body: any Encodable) throws(ClientError) -> Data {
        do { return try JSONEncoder().encode(body) } catch { throw .notUnderstood("\(error)") }
    }

    private static func check(_ response: HTTPURLResponse, _ data: Data) throws(ClientError) {
        guard !(200..<300).contains(response.statusCode) else { return }
        let document = try? JSONDecoder().decode(ProblemDocument.self, from: data)
        let detail = document?.detail ?? "The server answers with status \(response.statusCode)."
        switch response.statusCode {
        case 408, 429, 500...: throw .unreachable(detail)
        case 401: throw .loggedOut(detail)
        case _ where document == nil: throw .notUnderstood(detail)
        default:
            let reason = document?.type.split(separator: "#").last.map(String.init) ?? ""
            throw .refused(Problem(status: response.statusCode, reason: reason, detail: detail))
        }
    }

    /// RFC 9457.
    private struct ProblemDocument: Decodable {
        let type: String
        let detail: String
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
