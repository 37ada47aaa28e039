import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests to one address over connections of its own, without a cache.
final class HTTPExchange: Sendable {
    /// The answer to a request that succeeded.
    struct Response {
        let body: Data
        /// Header fields by lower-case name.
        let headers: [String: String]
        /// Of the last page, after redirects; without the path of the server's address.
        let path: String
    }

    private let server: URL
    private let scope: ServerScope
    private let session: URLSession
    private let loader = HTTPLoader()
    private let isBrowser: Bool

    private static let mostRedirects = 5
    /// Seconds without an answer after which a request fails.
    private static let patience: TimeInterval = 15

    /// - Parameter isBrowser: keeps cookies until it is released, and follows redirects within the server. The API needs
    ///   neither, and a redirect would be followed with the token, wherever it leads.
    init(server: URL, isBrowser: Bool = false) {
        self.server = server
        scope = ServerScope(server: server)
        self.isBrowser = isBrowser
        let configuration = URLSessionConfiguration.ephemeral
        if !isBrowser {
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
        }
        configuration.urlCache = nil
        // The same for everyone: the system's own would tell which device sends a ballot. All but the first, which a
        // browser lets no page choose, are those of the vote page (`cast-ballot.js`).
        configuration.httpAdditionalHeaders = [
            "User-Agent": "happiness", "Accept": "*/*", "Accept-Language": "en", "Cache-Control": "no-cache",
            "Pragma": "no-cache",
        ]
        configuration.timeoutIntervalForRequest = Self.patience
        session = URLSession(configuration: configuration, delegate: loader, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request of the API.
    /// - Parameters:
    ///   - path: from the address on, such as `/api/v1/me`; perhaps with a query.
    ///   - token: of the member; `nil` says nothing about who asks.
    ///   - body: makes it a POST.
    func send(
        _ path: String, token: String? = nil, body: (any Encodable & Sendable)? = nil
    ) async throws(ClientError) -> Response {
        var request = try request(path, body: try body.map(Self.encoded), mediaType: "application/json")
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return try await send(request)
    }

    /// Sends a form, and returns the page to which its answer leads.
    func send(form: [String: String], to path: String) async throws(ClientError) -> Response {
        var fields = URLComponents()
        fields.queryItems = form.map { URLQueryItem(name: $0, value: $1) }
        // A plus sign means a space in a form.
        let body = fields.percentEncodedQuery?.replacing("+", with: "%2B") ?? ""
        return try await send(try request(path, body: Data(body.utf8), mediaType: "application/x-www-form-urlencoded"))
    }

    /// The JSON of an answer.
    func json<Value: Decodable>(
        _ path: String, token: String? = nil, body: (any Encodable & Sendable)? = nil, as: Value.Type = Value.self
    ) async throws(ClientError) -> Value {
        try Self.decoded(try await send(path, token: token, body: body), of: path)
    }

    /// The JSON of the response to a POST.
    /// - Parameter body: JSON, sent as it is.
    func json<Value: Decodable>(
        _ path: String, sending body: Data, as: Value.Type = Value.self
    ) async throws(ClientError) -> Value {
        let response = try await send(try request(path, body: body, mediaType: "application/json"))
        return try Self.decoded(response, of: path)
    }

    private static func decoded<Value: Decodable>(_ response: Response, of path: String) throws(ClientError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(Value.self, from: response.body)
        } catch {
            throw .notUnderstood("The answer to \(path) isn’t what this API returns: \(error)")
        }
    }

    private func request(_ path: String, body: Data?, mediaType: String) throws(ClientError) -> URLRequest {
        guard let url = URL(string: server.absoluteString + path) else {
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

    private func send(_ request: URLRequest) async throws(ClientError) -> Response {
        var (data, response) = try await load(request)
        var redirects = 0
        while isBrowser, redirects < Self.mostRedirects, let next = redirect(in: response) {
            (data, response) = try await load(URLRequest(url: next))
            redirects += 1
        }
        try Self.check(response.statusCode, data)
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
        let path = response.url?.path() ?? ""
        return Response(body: data, headers: headers, path: scope.removingPath(from: path) ?? path)
    }

    /// Where a response leads, within the server.
    private func redirect(in response: HTTPURLResponse) -> URL? {
        guard [301, 302, 303].contains(response.statusCode),
            let location = response.value(forHTTPHeaderField: "Location"),
            let url = URL(string: location, relativeTo: response.url)?.absoluteURL
        else { return nil }
        return scope.contains(url) ? url : nil
    }

    private func load(_ request: URLRequest) async throws(ClientError) -> (Data, HTTPURLResponse) {
        do {
            return try await loader.load(request, in: session)
        } catch  where Task.isCancelled {
            throw .cancelled
        } catch {
            throw .unreachable("\(server.absoluteString) doesn’t answer: \(error.localizedDescription)")
        }
    }

    private static func encoded(_ body: any Encodable) throws(ClientError) -> Data {
        do { return try JSONEncoder().encode(body) } catch { throw .notUnderstood("\(error)") }
    }

    /// - Throws: ``ClientError`` for a status other than success.
    private static func check(_ status: Int, _ data: Data) throws(ClientError) {
        guard !(200..<300).contains(status) else { return }
        let document = try? JSONDecoder().decode(ProblemDocument.self, from: data)
        let detail = document?.detail ?? "The server answers with status \(status)."
        switch status {
        case 408, 429, 500...: throw .unreachable(detail)
        case 401: throw .loggedOut(detail)
        case _ where document == nil: throw .notUnderstood(detail)
        default:
            let parts = document?.type.split(separator: "#") ?? []
            throw .rejected(
                Problem(
                    status: status, reason: parts.count == 2 ? String(parts[1]) : "", detail: detail))
        }
    }

    /// RFC 9457.
    private struct ProblemDocument: Decodable {
        let type: String
        let detail: String
    }
}
