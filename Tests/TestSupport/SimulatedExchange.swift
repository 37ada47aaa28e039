import NIOHTTP1

/// A request as a simulator's rules see it.
struct SimulatedRequest: Sendable {
    let method: String
    let path: String
    let headers: HTTPHeaders
    var body: [UInt8] = []

    /// The value of a header; `nil` if there is none, or more than one.
    func header(_ name: String) -> String? {
        let values = headers[name]
        return values.count == 1 ? values.first : nil
    }
}

/// A simulator's response; thrown if it is an error.
struct SimulatedResponse: Error {
    let status: Int
    var headers: HTTPHeaders = [:]
    var body = ""
}

/// How a request to a simulator fails.
package enum SimulatedFault: Sendable, Hashable {
    /// Responds with this and accepts nothing.
    case response(Int, body: String = "", retryAfter: String? = nil)
    /// Redirects the client.
    case redirect(to: String)
    /// Accepts the message but never responds.
    case hang
    /// Accepts the message and sends only the response head.
    case hangAfterHead
    /// Accepts the message and closes the connection in the middle of the response.
    case closeMidResponse
    /// Closes the connection without a response and accepts nothing.
    case close

    /// Whether the response is incomplete, whatever it is.
    var breaksOff: Bool {
        switch self {
        case .response, .redirect: false
        case .hang, .hangAfterHead, .closeMidResponse, .close: true
        }
    }

    /// Replaces the rules' response; `nil` for a fault in its transmission.
    var response: SimulatedResponse? {
        switch self {
        case .response(let status, let body, let retryAfter):
            var headers: HTTPHeaders = [:]
            if let retryAfter { headers.add(name: "Retry-After", value: retryAfter) }
            return SimulatedResponse(status: status, headers: headers, body: body)
        case .redirect(let target): return SimulatedResponse(status: 307, headers: ["Location": target])
        case .close: return SimulatedResponse(status: 500)
        case .hang, .hangAfterHead, .closeMidResponse: return nil
        }
    }
}

/// Responds to a simulator's requests; called on network threads.
protocol SimulatorRules: AnyObject, Sendable {
    /// A response, and the fault in its transmission.
    func response(_ request: SimulatedRequest) -> (SimulatedResponse, SimulatedFault?)
}
