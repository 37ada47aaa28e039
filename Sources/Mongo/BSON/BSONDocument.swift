/// A document as BSON bytes, in the order its fields were added. A value type; always well-formed.
///
/// Looking a key up reads the fields before it: fine for the dozen fields of a document of ours, wrong for a large map.
public struct BSONDocument: Sendable, Hashable {
    /// Levels of nesting taken from outside. MongoDB itself stores 100
    /// (https://www.mongodb.com/docs/manual/reference/limits/); its replies wrap documents in a few more.
    public static let maximumDepth = 120

    /// The whole document: length, fields, terminator.
    public private(set) var bytes: [UInt8]

    /// An empty document.
    public init() {
        bytes = [5, 0, 0, 0, 0]
    }

    /// Takes bytes from outside after checking all of them.
    ///
    /// - Throws: `BSONError` unless the bytes are exactly one well-formed document.
    /// - Complexity: O(bytes).
    public init(bytes: [UInt8]) throws(BSONError) {
        try BSONValidator(bytes: bytes).validateDocument(0..<bytes.count)
        self.bytes = bytes
    }

    /// Bytes written by code of this module, or a part of a document already checked.
    init(trusted bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The stages of an updating pipeline, in the form in which `updateOne` and others take them.
    public static func pipeline(_ stages: [BSONDocument]) -> BSONDocument {
        var document = BSONDocument()
        for (index, stage) in stages.enumerated() { document.append(String(index), .document(stage)) }
        return document
    }

    /// The first value with this key.
    public subscript(key: String) -> BSONValue? {
        var elements = ElementIterator(bytes: bytes)
        while let element = elements.next() {
            if bytes.isEqual(element.key, to: key) { return BSONValue(element, in: bytes) }
        }
        return nil
    }

    /// Adds a field at the end, also when the key is there already (MongoDB takes that, but nobody should do it).
    ///
    /// - Precondition: the key has no zero character, which would end it early. Never take a key from a request
    ///   unchecked.
    public mutating func append(_ key: String, _ value: BSONValue) {
        bytes.removeLast()
        bytes.appendElement(key: key, value)
        bytes.append(0)
        bytes.patchLength(at: 0)
    }
}

extension BSONDocument: ExpressibleByDictionaryLiteral {
    /// Fields in the order written.
    public init(dictionaryLiteral elements: (String, BSONValue)...) {
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
