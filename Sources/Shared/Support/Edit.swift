/// A change by somebody who goes by what they saw, which others may have changed since.
///
/// What they left as they saw it stays as it is by now. What they changed counts, unless somebody else has changed the
/// same part to something else: then they have to see that first.
public struct Edit<Value: Sendable>: Sendable {
    /// What they saw.
    public let seen: Value
    /// What they made of it.
    public let wanted: Value

    /// A change from one value to another.
    public init(from seen: Value, to wanted: Value) {
        self.seen = seen
        self.wanted = wanted
    }

    /// Puts one part of the change into what there is now. Parts that mean something only together are one part.
    /// - Throws: `AppError.seenChanged`.
    func apply<Part: Equatable>(
        _ part: WritableKeyPath<Value, Part>, to present: inout Value
    ) throws(AppError) {
        let (old, new) = (seen[keyPath: part], wanted[keyPath: part])
        guard new != old else { return }
        let current = present[keyPath: part]
        // Two who want the same are of one mind.
        guard current == old || current == new else { throw AppError.seenChanged }
        present[keyPath: part] = new
    }
}

extension AppError {
    /// Somebody else has changed the same in the meantime.
    public static let seenChanged = AppError(
        .conflict, "Somebody changed this in the meantime. Please look at it again and repeat the change.",
        reason: "changed-meanwhile")
}
