/// A secret setting. Printing it by accident prints asterisks.
public struct SecretText: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The plain text, for the one call that needs it.
    public let value: String

    /// Hides a value read from the settings.
    public init(_ value: String) {
        self.value = value
    }

    /// Asterisks in place of the value.
    public var description: String { "***" }
    /// Asterisks in place of the value.
    public var debugDescription: String { description }
}

extension SecretText: CustomReflectable {
    /// Empty, for `dump` and templates.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
