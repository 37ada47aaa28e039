import NIOHTTP1

/// A request as a simulator's rules look at it.
struct SimulatedRequest: Sendable {
    let method: String
    let path: String
    let headers: HTTPHeaders
    var body: [UInt8] = []

    /// The one value of a header; `nil` without it, and also if there are two.
    func header(_ name: String) -> String? {
        let values = headers[name]
        return values.count == 1 ? values.first : nil
    }
}

/// A simulator's answer; thrown when it is a refusal.
struct SimulatedAnswer: Error {
    let status: Int
    var headers: HTTPHeaders = [:]
    var body = ""
}

/// How one request to a simulator goes wrong.
public enum SimulatedFault: Sendable, Hashable {
    /// Answers with this and takes nothing.
    case answer(Int, body: String = "", retryAfter: String? = nil)
    /// Sends the client elsewhere.
    case redirect(to: String)
    /// Takes the message and never answers.
    case hang
    /// Takes the message, answers with the head, and never with the body.
    case hangAfterHead
    /// Takes the message and closes in the middle of the answer.
    case closeMidAnswer
    /// Closes without a word and takes nothing.
    case close

    /// Whether the answer, whatever it is, does not arrive as a whole.
    var breaksOff: Bool {
        switch self {
        case .answer, .redirect: false
        case .hang, .hangAfterHead, .closeMidAnswer, .close: true
        }
    }

    /// What is said instead of the rules' answer; `nil` for a fault on the answer's way.
    var answer: SimulatedAnswer? {
        switch self {
        case .answer(let status, let body, let retryAfter):
            var headers: HTTPHeaders = [:]
            if let retryAfter { headers.add(name: "Retry-After", value: retryAfter) }
            return SimulatedAnswer(status: status, headers: headers, body: body)
        case .redirect(let target): return SimulatedAnswer(status: 307, headers: ["Location": target])
        case .close: return SimulatedAnswer(status: 500)
        case .hang, .hangAfterHead, .closeMidAnswer: return nil
        }
    }
}

/// What answers a simulator's requests; called from threads of the network.
protocol SimulatorRules: AnyObject, Sendable {
    /// An answer, and what goes wrong on its way.
    func answer(_ request: SimulatedRequest) -> (SimulatedAnswer, SimulatedFault?)
}
