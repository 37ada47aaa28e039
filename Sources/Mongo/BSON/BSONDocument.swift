/// A document as BSON bytes, in the order its fields were added. A value type; always well-formed.
///
/// Looking up a key scans the fields before it. That is fine for our documents of about a dozen fields, but not for a
/// large map.
package struct BSONDocument: Sendable, Hashable {
    /// Maximum nesting depth accepted from outside. MongoDB itself stores 100 levels
    /// (https://www.mongodb.com/docs/manual/reference/limits/); its replies wrap documents in a few more.
    package static let maximumDepth = 120

    /// The whole document: length, fields, terminator.
    package private(set) var bytes: [UInt8]

    /// An empty document.
    package init() {
        bytes = [5, 0, 0, 0, 0]
    }

    /// Validates bytes from outside.
    ///
    /// - Throws: `BSONError` unless the bytes are exactly one well-formed document.
    /// - Complexity: O(bytes).
    package init(bytes: [UInt8]) throws(BSONError) {
        try BSONValidator(bytes: bytes).validateDocument(0..<bytes.count)
        self.bytes = bytes
    }

    /// Wraps bytes written by this module, or part of an already validated document, without checking them.
    init(trusted bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The stages of an update pipeline, in the form `updateOne` and the other updates accept.
    package static func pipeline(_ stages: [BSONDocument]) -> BSONDocument {
        var document = BSONDocument()
        for (index, stage) in stages.enumerated() { document.append(String(index), .document(stage)) }
        return document
    }

    /// The first value with this key.
    package subscript(key: String) -> BSONValue? {
        var elements = ElementIterator(bytes: bytes)
        while let element = elements.next() {
            if bytes.isEqual(element.key, to: key) { return BSONValue(element, in: bytes) }
        }
        return nil
    }

    /// Appends a field, even if the key already exists. MongoDB accepts duplicate keys, but callers should avoid them.
    ///
    /// - Precondition: the key contains no zero character, which would end it early. Never pass an unchecked key from a
    ///   request.
    package mutating func append(_ key: String, _ value: BSONValue) {
        bytes.removeLast()
        bytes.appendElement(key: key, value)
        bytes.append(0)
        bytes.patchLength(at: 0)
    }
}

extension BSONDocument: ExpressibleByDictionaryLiteral {
    /// Keeps the fields in the order written.
    package init(dictionaryLiteral elements: (String, BSONValue)...) {
        bytes = [0, 0, 0, 0]
        for (key, value) in elements { bytes.appendElement(key: key, value) }
        bytes.append(0)
        bytes.patchLength(at: 0)
    }
}

extension [UInt8] {
    /// Whether the bytes of `range` are the text's UTF-8.
    func isEqual(_ range: Range<Int>, to text: String) -> Bool {
        let utf8 = text.utf8
        guard utf8.count == range.count else { return false }
        var offset = range.lowerBound
        for byte in utf8 {
            guard self[offset] == byte else { return false }
            offset += 1
        }
        return true
    }
}
