/// Reads a message from its start to its end.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = Array(bytes)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// - Throws: `ObliviousHTTPError.malformed` if fewer bytes are left.
    mutating func bytes(_ count: Int) throws(ObliviousHTTPError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .malformed }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// All bytes that are left.
    mutating func remaining() -> ArraySlice<UInt8> {
        defer { rest = [] }
        return rest
    }

    /// An integer of this type, most significant byte first.
    /// - Throws: `ObliviousHTTPError.malformed`.
    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _ type: Value.Type = Value.self
    ) throws(ObliviousHTTPError) -> Value {
        try bytes(Value.bitWidth / 8).reduce(0) { $0 << 8 | Value($1) }
    }

    /// An integer of one, two, four or eight bytes (RFC 9000 §16).
    /// - Throws: `ObliviousHTTPError.malformed`.
    mutating func variableInteger() throws(ObliviousHTTPError) -> Int {
        guard let first = rest.first else { throw .malformed }
        let encoded = try bytes(1 << (first >> 6))
        return encoded.dropFirst().reduce(Int(first & 0x3f)) { $0 << 8 | Int($1) }
    }

    /// Bytes after their length as a variable integer.
    /// - Throws: `ObliviousHTTPError.malformed`.
    mutating func counted() throws(ObliviousHTTPError) -> ArraySlice<UInt8> {
        try bytes(try variableInteger())
    }
}

extension [UInt8] {
    /// Appends an integer, most significant byte first.
    mutating func append(integer value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Appends an integer in as few bytes as possible (RFC 9000 §16).
    /// - Parameter value: from 0 to 2^62 - 1.
    mutating func append(variableInteger value: Int) {
        switch value {
        case ..<0x40: append(UInt8(value))
        case ..<0x4000: append(integer: UInt16(value) | 0x4000)
        case ..<0x4000_0000: append(integer: UInt32(value) | 0x8000_0000)
        default: append(integer: UInt64(value) | 0xc000_0000_0000_0000)
        }
    }

    /// Appends bytes after their length.
    mutating func append(counted bytes: some Collection<UInt8>) {
        append(variableInteger: bytes.count)
        append(contentsOf: bytes)
    }
}
