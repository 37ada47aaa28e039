import Foundation

/// An error that an app reports, as it is kept: without what could be somebody's, and without who sent it.
///
/// Texts are scrubbed while it is made (`ErrorText`), so that nothing behind this type ever sees what was sent.
public struct ClientErrorReport: Hashable, Sendable {
    /// How bad it is for the person in front of it.
    public enum Level: String, Sendable, Codable, CaseIterable {
        /// Something did not work.
        case error
        /// Something was not as it should be, and it went on.
        case warning
    }

    /// Which program reports.
    public enum App: String, Sendable, Codable, CaseIterable {
        /// The pages of this server.
        case web
        /// The app for iPhones.
        case ios
        /// The app for Android.
        case android
        /// A program over our client library.
        case sdk
    }

    /// Characters of a message; what is beyond is cut off.
    public static let maximumMessage = 500
    /// Characters of a version.
    static let maximumVersion = 32
    /// Characters of a platform.
    static let maximumPlatform = 60
    /// Tags of a report; further ones are left out.
    static let maximumTags = 8
    /// Characters of a tag's name, and of its value.
    static let maximumTag = 30

    /// How bad it is.
    public let level: Level
    /// Which program.
    public let app: App
    /// What went wrong, in the program's words.
    public let message: String
    /// Where in the program, innermost first; may be empty.
    public let stack: String
    /// The program's version; `?` if it has sent none that can be one.
    public let version: String
    /// What it runs on, coarsely: `iOS 17`, `Firefox · Windows`. May be empty.
    public let platform: String
    /// What else the program says about itself.
    public let tags: [String: String]

    /// A report from what was sent.
    /// - Throws: `AppError.refused` if it says nothing.
    public init(
        level: Level, app: App, message: String, stack: String = "", version: String = "", platform: String = "",
        tags: [String: String] = [:]
    ) throws {
        self.level = level
        self.app = app
        self.message = String(ErrorText.message(message).prefix(Self.maximumMessage))
        self.stack = ErrorText.stack(stack)
        guard !self.message.isEmpty || !self.stack.isEmpty else {
            throw AppError(.refused, "A report needs a message or a stack.")
        }
        self.version = Self.isVersion(version) ? version : "?"
        self.platform = String(ErrorText.platform(platform).prefix(Self.maximumPlatform))
        let named = tags.filter { Self.isTagName($0.key) }.sorted { $0.key < $1.key }.prefix(Self.maximumTags)
        self.tags = Dictionary(
            named.map { ($0.key, String(ErrorText.message($0.value).prefix(Self.maximumTag))) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The group the report belongs to: the same program, the same message and the same place, whatever numbers and ids
    /// were in them.
    public var groupID: ClientErrorGroup.ID {
        let frames = stack.split(separator: "\n").prefix(Self.countedFrames)
            .map { ErrorText.withoutNumbers(String($0)) }
        let parts = [app.rawValue, ErrorText.withoutNumbers(message)] + frames
        let digits = SecureBytes.sha256(Data(parts.joined(separator: "\n").utf8)).hexadecimal.prefix(32)
        return ClientErrorGroup.ID(String(digits)) ?? .random()
    }

    /// Deeper ones differ by the way somebody came to the same fault.
    private static let countedFrames = 3

    private static func isVersion(_ text: String) -> Bool {
        isWord(text, longest: maximumVersion, marks: ".-+")
    }

    private static func isTagName(_ text: String) -> Bool {
        isWord(text, longest: maximumTag, marks: ".-_")
    }

    /// Letters and digits of ASCII and some marks.
    private static func isWord(_ text: String, longest: Int, marks: String) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
    }
}
