import Foundation

/// Title and body of a reminder: as a team writes them, with placeholders, or as they are sent.
///
/// In a team's own text an empty part stands for the standard one. `{team}`, `{sprint}` and `{days}` stand for the
/// team's name, the sprint's label and the number of days left in the sprint, today included.
public struct ReminderText: Hashable, Sendable {
    /// One line, at most `PushMessage.maximumTitleLength` characters.
    public var title: String
    /// One or two sentences, at most `PushMessage.maximumBodyLength` characters.
    public var body: String

    /// A text as it is; `validated` checks it.
    public init(title: String = "", body: String = "") {
        self.title = title
        self.body = body
    }

    /// Whether both parts stand for the standard ones.
    public var isEmpty: Bool { title.isEmpty && body.isEmpty }

    /// Bytes a character may take on average: the most that one scalar has in UTF-8. So title and body leave room for
    /// the rest in the 4,096 bytes that push services take, whatever characters they are made of.
    static let bytesPerCharacter = 4

    /// The same text without white space at the ends of its parts.
    /// - Throws: `AppError.refused` saying what is wrong; `unknown-placeholder`, naming it.
    func validated() throws(AppError) -> ReminderText {
        ReminderText(
            title: try Self.validated(title, named: "title", limit: PushMessage.maximumTitleLength),
            body: try Self.validated(body, named: "body", limit: PushMessage.maximumBodyLength))
    }

    private static func validated(_ text: String, named name: String, limit: Int) throws(AppError) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.count <= limit, trimmed.utf8.count <= limit * bytesPerCharacter else {
            throw AppError(
                .refused,
                "The \(name) is longer than \(limit) characters or \(limit * bytesPerCharacter) bytes.")
        }
        guard !trimmed.unicodeScalars.contains(where: isControl) else {
            throw AppError(.refused, "The \(name) contains a control character or more than one line.")
        }
        let template = ReminderTemplate(trimmed)
        if let unknown = template.unknownPlaceholders.first {
            let known = ReminderTemplate.Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
            throw AppError(
                .refused, "There is no placeholder {\(unknown)}. There are: \(known).",
                reason: "unknown-placeholder")
        }
        guard !template.hasStrayBrace else {
            throw AppError(.refused, "The \(name) has a brace that belongs to no placeholder.")
        }
        return trimmed
    }

    /// Control characters, and what breaks a line without being one. Format characters stay: emoji are joined by them.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// A text cut at its placeholders. Filled in one pass, so that a team called `{days}` keeps its name.
struct ReminderTemplate {
    /// What a text may have filled in.
    enum Placeholder: String, CaseIterable {
        /// The team's name.
        case team
        /// The sprint's label.
        case sprint
        /// Days left in the sprint, today included.
        case days
    }

    private enum Part {
        case text(Substring)
        /// The name between the braces.
        case placeholder(Substring)
    }

    private let parts: [Part]
    /// Whether there is a brace without its other half. It is kept as it stands.
    let hasStrayBrace: Bool

    /// Cuts any text; nothing is refused here.
    init(_ text: String) {
        var parts: [Part] = []
        var hasStrayBrace = false
        var rest = text[...]
        while let brace = rest.firstIndex(where: Self.isBrace) {
            parts.append(.text(rest[..<brace]))
            let behind = rest[rest.index(after: brace)...]
            if rest[brace] == "{", let end = behind.firstIndex(where: Self.isBrace), behind[end] == "}" {
                parts.append(.placeholder(behind[..<end]))
                rest = behind[behind.index(after: end)...]
            } else {
                hasStrayBrace = true
                parts.append(.text(rest[brace...brace]))
                rest = behind
            }
        }
        self.parts = parts + [.text(rest)]
        self.hasStrayBrace = hasStrayBrace
    }

    /// Names between braces that are none of `Placeholder`, in their order.
    var unknownPlaceholders: [String] {
        parts.compactMap { part in
            guard case .placeholder(let name) = part, Placeholder(rawValue: String(name)) == nil else { return nil }
            return String(name)
        }
    }

    /// The text with everything filled in; an unknown placeholder stays as it stands.
    func filled(_ value: (Placeholder) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): String(text)
            case .placeholder(let name): Placeholder(rawValue: String(name)).map(value) ?? "{\(name)}"
            }
        }.joined()
    }

    private static func isBrace(_ character: Character) -> Bool {
        character == "{" || character == "}"
    }
}
