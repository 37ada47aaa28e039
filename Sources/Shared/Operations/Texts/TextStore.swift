/// Where the installation's own texts are kept. Every call may also throw `AppError.storeUnavailable`.
public protocol TextStore: Sendable {
    /// Another number after every change, so that a process sees by one small read whether its texts are the latest.
    func version() async throws -> Int

    /// All own texts, in no order.
    func list() async throws -> [OwnText]

    /// Puts a text in the place of the program's, or brings that one back, in one step with the version, if the own one is
    /// still `present`, or if there is still none for `nil`.
    /// - Parameter change: is kept; of a text's changes before it only so many that there are `TextChange.maximumCount`.
    /// - Returns: `false` if it is another by now, and then nothing is changed.
    func change(_ key: TextKey, _ change: TextChange, from present: String?) async throws -> Bool

    /// What became of a text, the latest first; at most `TextChange.maximumCount`.
    func history(of key: TextKey) async throws -> [TextChange]
}

extension TextStore {
    /// Puts a text in the place of whichever there is.
    public func change(_ key: TextKey, _ change: TextChange) async throws {
        while try await !self.change(key, change, from: history(of: key).first?.text) {}
    }
}
