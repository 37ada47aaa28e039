package import Domain

/// The installation's customised texts.
package protocol TextRows {
    /// A number that changes with every change, so that one small read tells a process whether its texts are current.
    func textVersion() throws -> Int

    /// All customised texts, in no particular order.
    func ownTexts() throws -> [OwnText]

    /// The changes of a text, the latest first; at most `TextChange.maximumCount`.
    func textHistory(of key: TextKey) throws -> [TextChange]
}

/// Changes of texts, each atomic by itself.
package protocol TextWrites {
    /// Customises a text or restores the program's, atomically with the version, if the customised text is still
    /// `present` (`nil` means there is none).
    /// - Parameter change: is stored; of the text's earlier changes at most `TextChange.maximumCount` minus one are
    ///   kept.
    /// - Returns: `false` if the text has changed; then nothing is written.
    func changeText(_ key: TextKey, _ change: TextChange, from present: String?) throws -> Bool
}
