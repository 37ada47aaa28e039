/// A secret setting. Printing it by accident prints asterisks.
package struct SecretText: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The plain text, for the one call that needs it.
    package let value: String

    /// Hides a value read from the settings.
    package init(_ value: String) {
        self.value = value
    }

    /// Asterisks in place of the value.
    package var description: String { "***" }
    /// Asterisks in place of the value.
    package var debugDescription: String { description }
}

extension SecretText: CustomReflectable {
    /// Empty, for `dump` and templates.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
