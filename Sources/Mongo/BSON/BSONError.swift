/// The reason why bytes are not a BSON document.
package enum BSONError: Error, Equatable, Sendable {
    /// A length, terminator, type or UTF-8 sequence is wrong at this zero-based byte offset.
    case malformed(offset: Int)
    /// Documents are nested deeper than `BSONDocument.maximumDepth`.
    case tooDeep
}
