import Foundation

/// A parsed header value such as `form-data; name="image"; filename=a.jpg`.
struct HeaderParameters: Hashable, Sendable {
    /// The part before the first semicolon, in lower case.
    let value: String
    /// Names in lower case, in their original order.
    let parameters: [(name: String, value: String)]

    /// Skips parts that are not valid parameters.
    init(_ text: String) {
        var reader = Reader(rest: text[...])
        value = reader.token().trimmingCharacters(in: .whitespaces).lowercased()
        var parameters: [(name: String, value: String)] = []
        while let parameter = reader.parameter() { parameters.append(parameter) }
        self.parameters = parameters
    }

    func first(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    static func == (left: Self, right: Self) -> Bool {
        left.value == right.value && left.parameters.elementsEqual(right.parameters, by: ==)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }

    private struct Reader {
        var rest: Substring

        /// Reads up to the next semicolon or equals sign, without consuming it.
        mutating func token() -> Substring {
            let token = rest.prefix { $0 != ";" && $0 != "=" }
            rest = rest.dropFirst(token.count)
            return token
        }

        /// The next parameter; `nil` at the end.
        mutating func parameter() -> (name: String, value: String)? {
            while rest.first == ";" {
                rest = rest.dropFirst()
                let name = token().trimmingCharacters(in: .whitespaces).lowercased()
                guard rest.first == "=" else { continue }
                rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
                let value = rest.first == "\"" ? quoted() : token(upTo: ";").trimmingCharacters(in: .whitespaces)
                // Ignores anything between a closing quote and the semicolon.
                _ = token(upTo: ";")
                return (name, value)
            }
            return nil
        }

        private mutating func token(upTo end: Character) -> Substring {
            let token = rest.prefix { $0 != end }
            rest = rest.dropFirst(token.count)
            return token
        }

        /// A quoted string (RFC 9110 §5.6.4); a backslash quotes the next character.
        private mutating func quoted() -> String {
            rest = rest.dropFirst()
            var text = ""
            while let character = rest.popFirst(), character != "\"" {
                if character == "\\", let next = rest.popFirst() { text.append(next) } else { text.append(character) }
            }
            return text
        }
    }
}
