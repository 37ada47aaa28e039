import Mongo
import TestSupport
import Testing

@Suite struct BSONHostileBytesTests {
    @Test(
        arguments: [
            [],
            [5, 0, 0, 0],
            [4, 0, 0, 0, 0],
            [6, 0, 0, 0, 0],
            [5, 0, 0, 0, 1],
            [0xFF, 0xFF, 0xFF, 0xFF, 0],
            [0xFF, 0xFF, 0xFF, 0x7F, 0],
            [5, 0, 0, 0, 0, 0],
            [7, 0, 0, 0, 0x0A, 0x61, 0],  // a key without an end
            [8, 0, 0, 0, 0x20, 0x61, 0, 0],  // an unknown type
            [8, 0, 0, 0, 0x0A, 0xFF, 0, 0],  // a key that is not UTF-8
            [9, 0, 0, 0, 0x08, 0x61, 0, 2, 0],  // neither true nor false
            [12, 0, 0, 0, 0x02, 0x61, 0, 0, 0, 0, 0, 0],  // a string without room for its end
            [14, 0, 0, 0, 0x02, 0x61, 0, 2, 0, 0, 0, 0x62, 0x62, 0],  // a string without its end
            [14, 0, 0, 0, 0x02, 0x61, 0, 2, 0, 0, 0, 0xC3, 0, 0],  // half a character
            [13, 0, 0, 0, 0x02, 0x61, 0, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0],
            [13, 0, 0, 0, 0x02, 0x61, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0],
            [13, 0, 0, 0, 0x03, 0x61, 0, 6, 0, 0, 0, 0, 0],  // longer than its parent
            [13, 0, 0, 0, 0x05, 0x61, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0],
            [13, 0, 0, 0, 0x05, 0x61, 0, 1, 0, 0, 0, 0, 0],
            [11, 0, 0, 0, 0x0F, 0x61, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func `Malformed bytes are refused`(_ bytes: [UInt8]) {
        #expect(throws: BSONError.self) { try BSONDocument(bytes: bytes) }
    }

    @Test func `Nesting has a limit`() throws {
        var document = BSONDocument()
        for _ in 1..<BSONDocument.maximumDepth { document = ["": .document(document)] }
        _ = try BSONDocument(bytes: document.bytes)
        let deeper: BSONDocument = ["": .document(document)]
        #expect(throws: BSONError.tooDeep) { try BSONDocument(bytes: deeper.bytes) }
    }

    /// Bytes that pass the check must be readable to the end without a trap, in every way.
    @Test(.thorough) func `Mutated bytes are refused or read`() {
        var random = SeededGenerator(seed: 2)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = random.document(depth: 3).bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) { mutate(&bytes, using: &random) }
            guard let document = try? BSONDocument(bytes: bytes) else { continue }
            accepted += 1
            read(document)
            #expect(document.keys.count >= 0 && document["nothing has this key"] == nil)
        }
        #expect(accepted > 500)
    }

    @Test func `Random bytes of the right length are refused or read`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            var bytes = random.bytes(count: Int.random(in: 5...64, using: &random))
            bytes.replaceSubrange(0..<4, with: [UInt8(bytes.count), 0, 0, 0])
            bytes[bytes.count - 1] = 0
            if let document = try? BSONDocument(bytes: bytes) { read(document) }
        }
    }

    private func read(_ document: BSONDocument) {
        for (_, value) in document { read(value) }
    }

    private func read(_ value: BSONValue) {
        switch value {
        case .document(let document): read(document)
        case .array(let values): for value in values { read(value) }
        default: _ = (value.stringValue, value.intValue, value.dateValue, value.hashValue)
        }
    }

    private func mutate(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...4, using: &random) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
        case 3 where bytes.count > 5: bytes.removeLast(Int.random(in: 0...4, using: &random))
        default: bytes[position] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
        }
        // Otherwise nearly all are rejected because of the outermost length.
        if Bool.random(using: &random), bytes.count >= 5 {
            for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: bytes.count >> (8 * index)) }
        }
    }
}
