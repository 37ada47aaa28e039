/// The ids after one bound and up to another.
///
/// The bounds that this program makes are nobody's ids: see `Identifier.boundary(between:and:)`.
public struct IdentifierRange<Entity>: Hashable, Sendable {
    /// Ids lie after it; `nil` means from the first.
    public let after: Identifier<Entity>?
    /// Ids lie at or before it; `nil` means to the last.
    public let through: Identifier<Entity>?

    /// The ids between two bounds; every id without any.
    public init(after: Identifier<Entity>? = nil, through: Identifier<Entity>? = nil) {
        self.after = after
        self.through = through
    }

    /// Whether an id lies between the bounds.
    public func contains(_ id: Identifier<Entity>) -> Bool {
        (after.map { $0 < id } ?? true) && (through.map { id <= $0 } ?? true)
    }

    /// Splits all ids there can be into ranges that touch each other, so that each has one range, those that are yet
    /// to be made too.
    /// - Parameter bounds: ascending.
    static func covering(splitAt bounds: [Identifier<Entity>]) -> [IdentifierRange] {
        zip([nil] + bounds, bounds + [nil]).map { IdentifierRange(after: $0, through: $1) }
    }
}

extension Identifier {
    /// An id between two neighbours that is, but for odds nobody lives to see, neither's and nobody's: the shortest
    /// beginning of `next` that comes after `last`, filled up with zeros. What is kept of a range then names no one.
    ///
    /// - Parameter next: after `last`.
    /// - Returns: at or after `last` and before `next`.
    public static func boundary(between last: Self, and next: Self) -> Self {
        let common = zip(last.description, next.description).prefix { $0 == $1 }.count
        let beginning = next.description.prefix(common + 1)
        let boundary = Self(beginning + String(repeating: "0", count: next.description.count - beginning.count))
        // `next` ends in zeros: then the range must end at `last` itself, or `next` would be passed over.
        guard let boundary, boundary < next else { return last }
        return boundary
    }
}
