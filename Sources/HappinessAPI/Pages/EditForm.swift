import Foundation
import NIOCore

/// A form that shows what is there to be changed, and sends back both: what somebody made of it, and what it showed. So what
/// they changed is told from what others have changed since.
struct EditForm<Fields: Codable & Sendable>: Decodable, Sendable {
    let typed: Fields
    let seen: Fields

    init(from decoder: any Decoder) throws {
        typed = try Fields(from: decoder)
        seen = try SeenFields<Fields>(from: decoder).fields
    }

    /// Puts a part that somebody changed into what is shown again; a part they left alone is shown as it is by now.
    func keep<Part: Equatable>(_ part: WritableKeyPath<Fields, Part>, in shown: inout Fields) {
        if typed[keyPath: part] != seen[keyPath: part] { shown[keyPath: part] = typed[keyPath: part] }
    }

    /// What somebody else has made of a part since the form was shown; `nil` if nobody has touched it.
    /// - Parameters:
    ///   - present: what there is by now.
    ///   - field: the id of the element that the part is changed with.
    func change<Part: Equatable>(
        of part: KeyPath<Fields, Part>, to present: Fields, field: String, label: String, value: String
    ) -> MeanwhileChange? {
        let (old, new, mine) = (seen[keyPath: part], present[keyPath: part], typed[keyPath: part])
        guard new != old else { return nil }
        return MeanwhileChange(field: field, label: label, value: value, isTypedOver: mine != old && mine != new)
    }
}

/// What a form showed, in its hidden field `seen`: JSON, for in JSON line breaks arrive as they were sent.
struct SeenFields<Fields: Codable & Sendable>: Decodable, Sendable {
    let fields: Fields

    init(_ fields: Fields) {
        self.fields = fields
    }

    init(from decoder: any Decoder) throws {
        let text = try decoder.container(keyedBy: SeenField.self).decode(String.self, forKey: .seen)
        fields = try JSONFields.decode(Fields.self, from: ByteBuffer(string: text))
    }

    /// The field's value.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(fields), as: UTF8.self)
    }
}

/// The hidden field's name.
enum SeenField: String, CodingKey {
    case seen
}

/// What somebody else changed while a form was open.
struct MeanwhileChange: Sendable {
    /// Of the element it is changed with.
    let field: String
    let label: String
    /// As it is by now.
    let value: String
    /// Whether the form holds something else that was typed.
    let isTypedOver: Bool
}
