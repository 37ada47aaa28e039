package import Domain

/// Stores the installation's customised texts. Every call may also throw `StorageError.unavailable`.
package protocol TextStore: Sendable {
    /// A number that changes with every change, so that one small read tells a process whether its texts are current.
    func version() async throws -> Int

    /// All customised texts, in no particular order.
    func list() async throws -> [OwnText]

    /// Customises a text or restores the program's, atomically with the version, if the customised text is still
    /// `present` (`nil` means there is none).
    /// - Parameter change: is stored; of the text's earlier changes at most `TextChange.maximumCount` minus one are
    ///   kept.
    /// - Returns: `false` if the text has changed; then nothing is written.
    func change(_ key: TextKey, _ change: TextChange, from present: String?) async throws -> Bool

    /// The changes of a text, the latest first; at most `TextChange.maximumCount`.
    func history(of key: TextKey) async throws -> [TextChange]
}

extension TextStore {
    /// Replaces the present text unconditionally.
    package func change(_ key: TextKey, _ change: TextChange) async throws {
        while try await !self.change(key, change, from: history(of: key).first?.text) {}
    }
}
