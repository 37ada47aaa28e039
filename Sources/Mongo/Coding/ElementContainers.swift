/// Fields by key. Remembers the position of the last match: properties are mostly decoded in the order they were
/// encoded, so the next element is usually the right one.
final class ElementKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let codingPath: [any CodingKey]
    private let bytes: [UInt8]
    private let elements: [BSONElement]
    private var next = 0

    init(_ decoder: ElementDecoder) {
        codingPath = decoder.codingPath
        bytes = decoder.bytes
        var iterator = ElementIterator(bytes: bytes, document: decoder.element.value)
        var elements: [BSONElement] = []
        while let element = iterator.next() { elements.append(element) }
        self.elements = elements
    }

    var allKeys: [Key] { elements.compactMap { Key(stringValue: String(decoding: bytes[$0.key], as: UTF8.self)) } }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try found(key).type == BSONType.null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try ElementDecoder.decode(type, found(key), in: bytes, path: codingPath + [key])
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let element = find(key), element.type != BSONType.null else { return nil }
        return try ElementDecoder.decode(type, element, in: bytes, path: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        guard let element = find("super") else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "No field for super")
            throw DecodingError.valueNotFound((any Decoder).self, context)
        }
        return ElementDecoder(bytes: bytes, element: element, codingPath: codingPath)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: Key) throws -> ElementDecoder {
        ElementDecoder(bytes: bytes, element: try found(key), codingPath: codingPath + [key])
    }

    private func found(_ key: Key) throws -> BSONElement {
        guard let element = find(key) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "No such field"))
        }
        return element
    }

    private func find(_ key: Key) -> BSONElement? { find(key.stringValue) }

    /// If a document contains a key twice, which MongoDB permits, it is undefined which one is found.
    private func find(_ key: String) -> BSONElement? {
        for distance in 0..<elements.count {
            let index = (next + distance) % elements.count
            guard bytes.isEqual(elements[index].key, to: key) else { continue }
            next = index
            return elements[index]
        }
        return nil
    }
}

/// The elements of an array in order; their keys are ignored.
struct ElementUnkeyedContainer: UnkeyedDecodingContainer {
    let codingPath: [any CodingKey]
    private let bytes: [UInt8]
    private let elements: [BSONElement]
    private(set) var currentIndex = 0

    init(_ decoder: ElementDecoder) {
        codingPath = decoder.codingPath
        bytes = decoder.bytes
        var iterator = ElementIterator(bytes: bytes, document: decoder.element.value)
        var elements: [BSONElement] = []
        while let element = iterator.next() { elements.append(element) }
        self.elements = elements
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try current().type == BSONType.null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try ElementDecoder.decode(type, current(), in: bytes, path: codingPath + [ArrayIndex(currentIndex)])
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try nested().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try nested() }

    private mutating func nested() throws -> ElementDecoder {
        let path = codingPath + [ArrayIndex(currentIndex)]
        let decoder = ElementDecoder(bytes: bytes, element: try current(), codingPath: path)
        currentIndex += 1
        return decoder
    }

    private func current() throws -> BSONElement {
        guard !isAtEnd else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "The array is at its end")
            throw DecodingError.valueNotFound(Any.self, context)
        }
        return elements[currentIndex]
    }
}

/// The element itself.
struct ElementSingleContainer: SingleValueDecodingContainer {
    let decoder: ElementDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.element.type == BSONType.null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try ElementDecoder.decode(type, decoder.element, in: decoder.bytes, path: codingPath)
    }
}

/// The position in an array, for the coding path of an error.
struct ArrayIndex: CodingKey {
    let intValue: Int?
    let stringValue: String

    init(_ index: Int) {
        intValue = index
        stringValue = String(index)
    }

    init?(intValue: Int) { self.init(intValue) }

    init?(stringValue: String) {
        guard let index = Int(stringValue) else { return nil }
        self.init(index)
    }
}
