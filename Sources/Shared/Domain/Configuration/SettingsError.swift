/// An invalid setting, reported to the operator by key; the value may be a secret and is never repeated.
package struct SettingsError: Error, Equatable, CustomStringConvertible {
    /// The key in the environment or `.env`.
    package let key: String
    /// Valid values, as the end of "must be …".
    package let expectation: String
    /// Further invalid settings, so that the operator can correct all of them at once.
    package let others: [SettingsError]

    /// - Parameter expectation: the end of "must be …"; must not repeat a secret.
    package init(key: String, expectation: String, others: [SettingsError] = []) {
        self.key = key
        self.expectation = expectation
        self.others = others
    }

    /// One line for the operator for each invalid setting.
    package var description: String {
        ([self] + others).map(\.ownDescription).joined(separator: "\n")
    }

    /// The line of the first one alone.
    package var ownDescription: String { "Setting \(key) must be \(expectation)." }
}
