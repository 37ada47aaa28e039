/// The ids after one bound and up to another.
///
/// The bounds that this program creates are not ids of anything: see `Identifier.boundary(between:and:)`.
package struct IdentifierRange<Entity>: Hashable, Sendable {
    /// Excluded lower bound; `nil` means from the first id.
    package let after: Identifier<Entity>?
    /// Included upper bound; `nil` means to the last id.
    package let through: Identifier<Entity>?

    /// By default contains every id.
    package init(after: Identifier<Entity>? = nil, through: Identifier<Entity>? = nil) {
        self.after = after
        self.through = through
    }

    /// Whether an id lies between the bounds.
    package func contains(_ id: Identifier<Entity>) -> Bool {
        (after.map { $0 < id } ?? true) && (through.map { id <= $0 } ?? true)
    }

    /// Splits the space of all ids into adjacent ranges, so that each id has exactly one, including ids created later.
    /// - Parameter bounds: ascending.
    package static func covering(splitAt bounds: [Identifier<Entity>]) -> [IdentifierRange] {
        zip([nil] + bounds, bounds + [nil]).map { IdentifierRange(after: $0, through: $1) }
    }
}

extension Identifier {
    /// An id between two neighbours that almost certainly equals neither and belongs to nothing: the shortest prefix of
    /// `next` that sorts after `last`, padded with zeros. A stored range then identifies nobody.
    ///
    /// - Parameter next: after `last`.
    /// - Returns: at or after `last` and before `next`.
    package static func boundary(between last: Self, and next: Self) -> Self {
        let common = zip(last.description, next.description).prefix { $0 == $1 }.count
        let beginning = next.description.prefix(common + 1)
        let boundary = Self(beginning + String(repeating: "0", count: next.description.count - beginning.count))
        // If `next` ends in zeros, the range must end at `last` itself, or `next` would be skipped.
        guard let boundary, boundary < next else { return last }
        return boundary
    }
}
