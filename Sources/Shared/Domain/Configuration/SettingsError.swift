/// An invalid setting, reported to the operator by key; the value may be a secret and is never repeated.
package struct SettingsError: Error, Equatable, CustomStringConvertible {
    /// The key in the environment or `.env`.
    package let key: String
    /// Valid values, as the end of "must be …".
    package let expectation: String

    /// - Parameter expectation: the end of "must be …"; must not repeat a secret.
    package init(key: String, expectation: String) {
        self.key = key
        self.expectation = expectation
    }

    /// One line for the operator.
    package var description: String { "Setting \(key) must be \(expectation)." }
}
