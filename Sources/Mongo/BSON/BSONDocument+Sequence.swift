extension BSONDocument: Sequence {
    /// Iterates over the fields in order.
    package struct Iterator: IteratorProtocol {
        var elements: ElementIterator

        /// The next field, or nil after the last.
        package mutating func next() -> (key: String, value: BSONValue)? {
            guard let element = elements.next() else { return nil }
            return (
                String(decoding: elements.bytes[element.key], as: UTF8.self), BSONValue(element, in: elements.bytes)
            )
        }
    }

    /// The fields in order.
    package func makeIterator() -> Iterator {
        Iterator(elements: ElementIterator(bytes: bytes))
    }

    /// The keys in order.
    package var keys: [String] { map(\.key) }

    /// Whether there are no fields.
    package var isEmpty: Bool { bytes.count == 5 }
}

/// Iterates over the elements of one document without decoding their values.
struct ElementIterator: IteratorProtocol {
    let bytes: [UInt8]
    private var offset: Int
    /// Offset of the document's terminator.
    private let limit: Int

    init(bytes: [UInt8]) {
        self.init(bytes: bytes, document: 0..<bytes.count)
    }

    /// - Parameter document: the range of a validated document or array in the bytes.
    init(bytes: [UInt8], document: Range<Int>) {
        self.bytes = bytes
        offset = document.lowerBound + 4
        limit = document.upperBound - 1
    }

    mutating func next() -> BSONElement? {
        guard offset < limit, let element = BSONElement(in: bytes, at: offset, limit: limit) else { return nil }
        offset = element.value.upperBound
        return element
    }
}
