/// An English sentence for users with its values apart, so that it can be translated: `LocalizedTexts.text(for:)` finds
/// it by its `template`.
///
/// Written as a text with interpolations: `"The field \(name) is missing."` has the template
/// `The field {a} is missing.` A test finds the texts in calls of `AppError(…)` and `Sentence(…)`, and looks for them in
/// `templates/messages`.
package struct Sentence: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// A value between two pieces of text.
    package enum Value: Hashable, Sendable {
        /// Is the same in every language.
        case text(String)
        /// Parts that are translated too, with commas between them.
        case parts([Sentence])
    }

    /// The texts before, between and after the values: one more than these.
    private let pieces: [String]
    /// In the order of their places.
    package let values: [Value]

    private init(pieces: [String], values: [Value]) {
        self.pieces = pieces
        self.values = values
    }

    /// A sentence without values.
    package init(stringLiteral text: String) {
        self.init(pieces: [text], values: [])
    }

    /// A sentence with values.
    package init(stringInterpolation interpolation: StringInterpolation) {
        self.init(pieces: interpolation.pieces, values: interpolation.values)
    }

    /// Marks a text that is not the argument of an `AppError`, so that the test finds it.
    package init(_ sentence: Sentence) {
        self = sentence
    }

    /// A text that is the same in every language.
    package init(verbatim text: String) {
        self.init(pieces: ["", ""], values: [.text(text)])
    }

    /// Name of the placeholder of each value, by its place: `a`, `b` and so on.
    package static func placeholder(_ place: Int) -> String {
        String(Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(min(place, 25)))))
    }

    /// The sentence with a placeholder such as `{a}` in the place of each value.
    package var template: String {
        joined(values.indices.map { "{\(Self.placeholder($0))}" })
    }

    /// The sentence in English.
    package var english: String {
        joined(
            values.map { value in
                switch value {
                case .text(let text): text
                case .parts(let parts): parts.map(\.english).joined(separator: ", ")
                }
            })
    }

    private func joined(_ fillings: [String]) -> String {
        zip(pieces, fillings + [""]).map { $0 + $1 }.joined()
    }

    /// One sentence behind the other, for texts that do not fit on a line.
    package static func + (left: Sentence, right: Sentence) -> Sentence {
        let seam = (left.pieces.last ?? "") + (right.pieces.first ?? "")
        return Sentence(
            pieces: Array(left.pieces.dropLast()) + [seam] + Array(right.pieces.dropFirst()),
            values: left.values + right.values)
    }

    /// Collects the pieces and values of an interpolated text.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces = [""]
        fileprivate var values: [Value] = []

        /// An empty text.
        package init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds a piece of text.
        package mutating func appendLiteral(_ literal: String) {
            pieces[pieces.count - 1] += literal
        }

        /// Adds a value that is the same in every language: `\(name)`.
        package mutating func appendInterpolation<Described>(_ value: Described) {
            append(.text(String(describing: value)))
        }

        /// Adds a part that is translated too: `\(part: what)`.
        package mutating func appendInterpolation(part: Sentence) {
            append(.parts([part]))
        }

        /// Adds several parts that are translated too, with commas between them: `\(parts: kinds)`.
        package mutating func appendInterpolation(parts: [Sentence]) {
            append(.parts(parts))
        }

        private mutating func append(_ value: Value) {
            values.append(value)
            pieces.append("")
        }
    }
}
