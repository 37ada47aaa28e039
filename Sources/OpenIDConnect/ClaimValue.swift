/// The value of a claim: any JSON.
enum ClaimValue: Decodable, Sendable {
    case text(String)
    case number(Double)
    case truth(Bool)
    case list([ClaimValue])
    case object([String: ClaimValue])
    case null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .truth(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([ClaimValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: ClaimValue].self))
        }
    }

    var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    var number: Double? {
        if case .number(let value) = self { value } else { nil }
    }

    /// A string, or all strings of an array.
    var texts: [String] {
        switch self {
        case .text(let value): [value]
        case .list(let values): values.compactMap(\.text)
        default: []
        }
    }

    /// Whether a claim with this value says anything: not null, not empty.
    var hasText: Bool { texts.contains { !$0.isEmpty } }

    /// Some providers encode booleans as strings.
    var isTrue: Bool {
        switch self {
        case .truth(let value): value
        case .text(let value): value == "true"
        default: false
        }
    }
}
