/// The `Encoder` that writes a value into a frame.
struct FrameEncoder: Encoder {
    let frame: EncodingFrame
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        frame.becomeDocument()
        return KeyedEncodingContainer(KeyedContainer<Key>(frame: frame, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        frame.becomeArray()
        return UnkeyedContainer(frame: frame, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleContainer(frame: frame, codingPath: codingPath)
    }

    /// The BSON value of anything encodable.
    @inline(__always)
    static func value<Value: Encodable>(of value: Value, path: @autoclosure () -> [any CodingKey]) throws -> BSONValue {
        if let direct = try directBSON(value, path: path()) { return direct }
        let frame = EncodingFrame()
        try value.encode(to: FrameEncoder(frame: frame, codingPath: path()))
        return try frame.finish()
    }
}

extension FrameEncoder {
    /// One generic method serves all requirements of the protocol and is specialised for each.
    private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let frame: EncodingFrame
        let codingPath: [any CodingKey]

        mutating func encodeNil(forKey key: Key) throws {
            try frame.write(.null, key: key.stringValue, path: codingPath)
        }

        mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            let bson = try FrameEncoder.value(of: value, path: codingPath + [key])
            try frame.write(bson, key: key.stringValue, path: codingPath + [key])
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            nested(key).container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            nested(key).unkeyedContainer()
        }

        mutating func superEncoder() -> any Encoder {
            FrameEncoder(frame: frame.reserve(key: "super"), codingPath: codingPath)
        }

        mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

        /// These calls cannot throw. A zero character in a key opened by hand is a programming error and fails the
        /// precondition of `appendElement`.
        private func nested(_ key: Key) -> FrameEncoder {
            FrameEncoder(frame: frame.reserve(key: key.stringValue), codingPath: codingPath + [key])
        }
    }

    private struct UnkeyedContainer: UnkeyedEncodingContainer {
        let frame: EncodingFrame
        let codingPath: [any CodingKey]
        var count: Int { frame.count }

        mutating func encodeNil() throws {
            try frame.write(.null, key: String(count), path: codingPath)
        }

        mutating func encode<Value: Encodable>(_ value: Value) throws {
            let bson = try FrameEncoder.value(of: value, path: codingPath)
            try frame.write(bson, key: String(count), path: codingPath)
        }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            nested().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

        mutating func superEncoder() -> any Encoder { nested() }

        private func nested() -> FrameEncoder {
            FrameEncoder(frame: frame.reserve(key: String(count)), codingPath: codingPath)
        }
    }

    private struct SingleContainer: SingleValueEncodingContainer {
        let frame: EncodingFrame
        let codingPath: [any CodingKey]

        mutating func encodeNil() throws { frame.become(.null) }

        mutating func encode<Value: Encodable>(_ value: Value) throws {
            frame.become(try FrameEncoder.value(of: value, path: codingPath))
        }
    }
}
