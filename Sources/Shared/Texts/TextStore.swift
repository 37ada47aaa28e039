/// Where the installation's own texts are kept. Every call may also throw `AppError.storeUnavailable`.
public protocol TextStore: Sendable {
    /// Another number after every change, so that a process sees by one small read whether its texts are the latest.
    func version() async throws -> Int

    /// All own texts, in no order.
    func list() async throws -> [OwnText]

    /// Puts a text in the place of the program's, or brings that one back, in one step with the version.
    /// - Parameter change: is kept; of a text's changes before it only so many that there are `TextChange.maximumCount`.
    func change(_ key: TextKey, _ change: TextChange) async throws

    /// What became of a text, the latest first; at most `TextChange.maximumCount`.
    func history(of key: TextKey) async throws -> [TextChange]
}
