/// An edit based on what a user saw, which other users may have changed since.
///
/// Parts the user left unchanged keep their current value. Parts the user changed are applied, unless another user has
/// changed the same part to something else: then the user must look at that first.
package struct Edit<Value: Sendable>: Sendable {
    /// The value the user saw.
    package let seen: Value
    /// The value after the user's edit.
    package let wanted: Value

    /// An edit from one value to another.
    package init(from seen: Value, to wanted: Value) {
        self.seen = seen
        self.wanted = wanted
    }

    /// Applies one part of the edit to the current value. Parts that depend on each other are one part.
    /// - Throws: `AppError.seenChanged`.
    func apply<Part: Equatable>(_ part: WritableKeyPath<Value, Part>, to present: inout Value) throws(AppError) {
        let (old, new) = (seen[keyPath: part], wanted[keyPath: part])
        guard new != old else { return }
        let current = present[keyPath: part]
        // Two users who want the same value do not conflict.
        guard current == old || current == new else { throw AppError.seenChanged }
        present[keyPath: part] = new
    }
}

extension AppError {
    /// Another user has changed the same part in the meantime.
    package static let seenChanged = AppError(
        .conflict, "Someone else changed this in the meantime. Please check it and try again.",
        reason: .changedMeanwhile)
}
