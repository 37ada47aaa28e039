import Domain

extension DeliveryBatch.Recipients {
    /// The stored form in both stores: a word and the bounds.
    var columns: (word: String, after: String?, through: String?) {
        switch self {
        case .devices(let range): ("devices", range.after?.description, range.through?.description)
        case .members(let range): ("members", range.after?.description, range.through?.description)
        case .requester: ("requester", nil, nil)
        }
    }

    /// Parses the result of `columns`.
    /// - Throws: `UnreadableRecipients` for anything else.
    init(word: String, after: String?, through: String?) throws {
        switch word {
        case "devices": self = .devices(try Self.range(after, through))
        case "members": self = .members(try Self.range(after, through))
        case "requester": self = .requester
        default: throw UnreadableRecipients()
        }
    }

    private static func range<Entity>(_ after: String?, _ through: String?) throws -> IdentifierRange<Entity> {
        IdentifierRange(after: try after.map(bound), through: try through.map(bound))
    }

    private static func bound<Entity>(_ text: String) throws -> Identifier<Entity> {
        guard let bound = Identifier<Entity>(text) else { throw UnreadableRecipients() }
        return bound
    }
}

/// This program does not understand a stored batch: an internal error, never a rejection.
struct UnreadableRecipients: Error {}
