/// What an update of copies did.
package struct CopyChanges: Hashable, Sendable {
    /// Backups or objects copied.
    package var added = 0
    /// Copies deleted.
    package var removed = 0

    /// Whether there were none.
    package var isEmpty: Bool { self == CopyChanges() }
}
