import Foundation

/// The value of a header like `form-data; name="image"; filename=a.jpg`, taken apart.
struct HeaderParameters: Hashable, Sendable {
    /// What stands before the first semicolon, in lower case.
    let value: String
    /// Names in lower case, in the order they came.
    let parameters: [(name: String, value: String)]

    /// Reads what it can: what is not written as a parameter is skipped.
    init(_ text: String) {
        var reader = Reader(rest: text[...])
        value = reader.token().trimmingCharacters(in: .whitespaces).lowercased()
        var parameters: [(name: String, value: String)] = []
        while let parameter = reader.parameter() { parameters.append(parameter) }
        self.parameters = parameters
    }

    /// The first parameter of this name.
    func first(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    static func == (left: Self, right: Self) -> Bool {
        left.value == right.value && left.parameters.elementsEqual(right.parameters, by: ==)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }

    private struct Reader {
        var rest: Substring

        /// Up to the next semicolon or equals sign, which stays.
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
                // What stands between a closing quote and the semicolon belongs to nothing.
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
