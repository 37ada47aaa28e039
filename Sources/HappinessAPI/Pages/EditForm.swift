import Foundation
import NIOCore

/// A form that edits stored values. It sends both what was typed and what the page showed, so that the user's changes
/// can be distinguished from changes that others made meanwhile.
struct EditForm<Fields: Codable & Sendable>: Decodable, Sendable {
    let typed: Fields
    let seen: Fields

    init(from decoder: any Decoder) throws {
        typed = try Fields(from: decoder)
        seen = try ShownFields<Fields>(from: decoder).fields
    }

    /// Copies a part to `shown` if the user changed it; unchanged parts keep their current value.
    func keep<Part: Equatable>(_ part: WritableKeyPath<Fields, Part>, in shown: inout Fields) {
        if typed[keyPath: part] != seen[keyPath: part] { shown[keyPath: part] = typed[keyPath: part] }
    }

    /// The change another user made to a part since the form was shown; `nil` if there is none.
    /// - Parameters:
    ///   - present: the current values.
    ///   - field: id of the element that edits the part.
    func change<Part: Equatable>(
        of part: KeyPath<Fields, Part>, to present: Fields, field: String, label: String, value: String
    ) -> ConcurrentEdit? {
        let (old, new, mine) = (seen[keyPath: part], present[keyPath: part], typed[keyPath: part])
        guard new != old else { return nil }
        return ConcurrentEdit(field: field, label: label, value: value, isTypedOver: mine != old && mine != new)
    }
}

/// What a form showed, as JSON in its hidden field `seen`: in JSON, line breaks arrive unchanged.
struct ShownFields<Fields: Codable & Sendable>: Decodable, Sendable {
    let fields: Fields

    init(_ fields: Fields) {
        self.fields = fields
    }

    init(from decoder: any Decoder) throws {
        let text = try decoder.container(keyedBy: SeenField.self).decode(String.self, forKey: .seen)
        fields = try JSONFields.decode(Fields.self, from: ByteBuffer(string: text))
    }

    /// The value of the hidden field.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(fields), as: UTF8.self)
    }
}

/// Name of the hidden field.
enum SeenField: String, CodingKey {
    case seen
}

/// A change by another user while the form was open.
struct ConcurrentEdit: Sendable {
    /// Id of the element that edits the part.
    let field: String
    let label: String
    /// The current value.
    let value: String
    /// Whether the user typed something else into the field.
    let isTypedOver: Bool
}
