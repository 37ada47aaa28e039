import Foundation

/// An error reported by an app, as it is stored: without personal data, and without the sender.
///
/// Texts are scrubbed on creation (`ErrorText`), so no code behind this type ever sees the original.
package struct ClientErrorReport: Hashable, Sendable {
    /// The severity for the user.
    package enum Level: String, Sendable, Codable, CaseIterable {
        /// The program ended.
        case fatal
        /// An action failed.
        case error
        /// Something was wrong, but the program continued.
        case warning
    }

    /// The reporting program.
    package enum App: String, Sendable, Codable, CaseIterable {
        /// The pages of this server.
        case web
        /// The app for iPhones.
        case ios
        /// The app for Android.
        case android
        /// A program that uses our client library.
        case sdk
    }

    /// Characters of a message; longer ones are truncated.
    package static let maximumMessage = 500
    /// Characters of a version.
    static let maximumVersion = 32
    /// Characters of a platform.
    static let maximumPlatform = 60
    /// Tags of a report; further ones are dropped.
    static let maximumTags = 8
    /// Characters of a tag's name, and of its value.
    static let maximumTag = 30

    /// The severity for the user.
    package let level: Level
    /// The reporting program.
    package let app: App
    /// The error message, in the program's words.
    package let message: String
    /// The stack, innermost frame first; may be empty.
    package let stack: String
    /// The program's version; `?` if it sent no valid one.
    package let version: String
    /// The platform, roughly: `iOS 17`, `Firefox · Windows`. May be empty.
    package let platform: String
    /// Further data sent by the program.
    package let tags: [String: String]
    /// Whether the sender was not logged in. Such reports form groups of their own, so that nobody from outside
    /// changes what is shown of those of users.
    package let isAnonymous: Bool

    /// Scrubs the values of a request.
    /// - Throws: `AppError.unprocessable` if the message is empty.
    package init(
        level: Level, app: App, message: String, stack: String = "", version: String = "", platform: String = "",
        tags: [String: String] = [:], isAnonymous: Bool = false
    ) throws {
        self.level = level
        self.app = app
        self.message = String(ErrorText.message(message).prefix(Self.maximumMessage))
        self.stack = ErrorText.stack(stack)
        guard !self.message.isEmpty || !self.stack.isEmpty else {
            throw AppError(.unprocessable, "A report needs a message or a stack.")
        }
        self.version = Self.isVersion(version) ? version : "?"
        self.platform = String(ErrorText.platform(platform).prefix(Self.maximumPlatform))
        self.isAnonymous = isAnonymous
        let named = tags.filter { Self.isTagName($0.key) && $0.key != Self.loginTag }.sorted { $0.key < $1.key }
            .prefix(Self.maximumTags)
        let values = named.map { ($0.key, String(ErrorText.message($0.value).prefix(Self.maximumTag))) }
        self.tags = Dictionary(
            values + (isAnonymous ? [(Self.loginTag, "none")] : []), uniquingKeysWith: { first, _ in first })
    }

    /// The group of the report: the same program, message and place in the code, ignoring numbers and ids.
    package var groupID: ClientErrorGroup.ID {
        let frames = stack.split(separator: "\n").prefix(Self.countedFrames)
            .map { ErrorText.withoutNumbers(String($0)) }
        let sender = isAnonymous ? ["anonymous"] : []
        let parts = sender + [app.rawValue, ErrorText.withoutNumbers(message)] + frames
        let digits = SecureBytes.sha256(Data(parts.joined(separator: "\n").utf8)).hexadecimal.prefix(32)
        return ClientErrorGroup.ID(String(digits)) ?? .random()
    }

    /// Set by the server: administrators see that anybody may have sent the report.
    private static let loginTag = "login"
    /// Deeper frames differ by the path that led to the same error.
    private static let countedFrames = 3

    private static func isVersion(_ text: String) -> Bool {
        isWord(text, longest: maximumVersion, marks: ".-+")
    }

    private static func isTagName(_ text: String) -> Bool {
        isWord(text, longest: maximumTag, marks: ".-_")
    }

    /// ASCII letters and digits and some punctuation marks.
    private static func isWord(_ text: String, longest: Int, marks: String) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
    }
}
