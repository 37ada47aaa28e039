/// A setting that must not be seen. What prints it by accident prints asterisks.
public struct SecretText: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// For the one call that needs it.
    public let value: String

    /// Wraps the value.
    public init(_ value: String) {
        self.value = value
    }

    /// Asterisks.
    public var description: String { "***" }
    /// Asterisks.
    public var debugDescription: String { description }
}

extension SecretText: CustomReflectable {
    /// Nothing inside, for `dump` and templates.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
