import Foundation
import Mongo
import TestSupport
import Testing

@Suite struct BSONDocumentTests {
    @Test func `The examples of the specification have exactly these bytes`() {
        // https://bsonspec.org/faq.html
        let hello: BSONDocument = ["hello": "world"]
        #expect(hello.bytes == Array("\u{16}\0\0\0\u{2}hello\0\u{6}\0\0\0world\0\0".utf8))
        let nested: BSONDocument = ["BSON": ["awesome", 5.05, .int32(1986)]]
        let numbers: [UInt8] = [0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x14, 0x40, 0x10, 0x32, 0, 0xC2, 0x07, 0, 0]
        var expected = Array("1\0\0\0\u{4}BSON\0&\0\0\0\u{2}0\0\u{8}\0\0\0awesome\0\u{1}1\0".utf8)
        expected += numbers + [0, 0]
        #expect(nested.bytes == expected)
    }

    @Test func `Keys keep their order`() {
        var document: BSONDocument = ["z": 1, "a": 2]
        document.append("m", nil)
        #expect(document.keys == ["z", "a", "m"])
        #expect(document["m"] == .null)
        #expect(document["missing"] == nil)
        #expect(BSONDocument().isEmpty)
        #expect(!document.isEmpty)
    }

    @Test func `Any document survives the round trip through its bytes`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let document = random.document(depth: 4)
            let again = try BSONDocument(bytes: document.bytes)
            #expect(again == document)
            var copy = BSONDocument()
            for (key, value) in again { copy.append(key, value) }
            #expect(copy == document)
        }
    }

    @Test func `Numbers convert only if nothing is lost`() {
        #expect(BSONValue.double(3).intValue == 3)
        #expect(BSONValue.double(3.5).intValue == nil)
        #expect(BSONValue.double(.infinity).intValue == nil)
        #expect(BSONValue.double(1e30).intValue == nil)
        #expect(BSONValue.int32(-7).intValue == -7)
        #expect(BSONValue.int64(.max).intValue == .max)
        #expect(BSONValue.bool(true).intValue == nil)
        #expect(BSONValue.string("3").intValue == nil)
    }

    @Test func `Dates are rounded to the millisecond and clamped`() {
        #expect(BSONValue.date(Date(timeIntervalSince1970: 1.2345678)) == .date(1235 as Int64))
        #expect(BSONValue.date(Date(timeIntervalSince1970: -0.0004)) == .date(0 as Int64))
        #expect(BSONValue.date(Date(timeIntervalSince1970: .infinity)) == .date(Int64.max))
        #expect(BSONValue.date(Date(timeIntervalSince1970: -1e300)) == .date(Int64.min))
        #expect(BSONValue.date(1500 as Int64).dateValue == Date(timeIntervalSince1970: 1.5))
    }

    @Test func `A type without its own case is kept`() throws {
        let minKey = BSONValue.other(type: 0xFF, bytes: [])
        let userDefined = BSONValue.other(type: 5, bytes: [1, 0, 0, 0, 0x80, 42])
        let expression = BSONValue.other(type: 0x0B, bytes: Array("a.b\0i\0".utf8))
        let document: BSONDocument = ["min": minKey, "binary": userDefined, "expression": expression]
        let again = try BSONDocument(bytes: document.bytes)
        #expect(again["min"] == minKey)
        #expect(again["binary"] == userDefined)
        #expect(again["binary"]?.binaryValue == nil)
        #expect(again["expression"] == expression)
    }
}

/// Made-up documents, the same in every run.
extension SeededGenerator {
    mutating func document(depth: Int) -> BSONDocument {
        var document = BSONDocument()
        for index in 0..<Int.random(in: 0...6, using: &self) {
            let key = String(decoding: text().utf8.filter { $0 != 0 }, as: UTF8.self)
            document.append("\(key)\(index)", value(depth: depth))
        }
        return document
    }

    mutating func value(depth: Int) -> BSONValue {
        switch Int.random(in: depth > 0 ? 0...13 : 2...13, using: &self) {
        case 0: .document(document(depth: depth - 1))
        case 1: .array((0..<Int.random(in: 0...12, using: &self)).map { _ in value(depth: depth - 1) })
        case 2: .double(Double(bitPattern: next() & 0x7FEF_FFFF_FFFF_FFFF))
        case 3: .string(text())
        case 4: .binary(bytes(count: Int.random(in: 0...20, using: &self)))
        case 5: .objectID(bytes(count: 12))
        case 6: .bool(Bool.random(using: &self))
        case 7: .date(Int64(bitPattern: next()))
        case 8: .null
        case 9: .int32(Int32(truncatingIfNeeded: next()))
        case 10: .int64(Int64(bitPattern: next()))
        case 11: .other(type: 0x11, bytes: bytes(count: 8))
        case 12: .other(type: 0x13, bytes: bytes(count: 16))
        default: .other(type: 0x7F, bytes: [])
        }
    }

    mutating func bytes(count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

    private mutating func text() -> String {
        // Several scalars, two bytes, three bytes, combining characters, and what BSON treats specially.
        let alphabet: [Character] = ["a", "Z", "0", " ", "\0", "é", "ß", "漢", "👩‍👩‍👧", "\u{301}", "\"", "$", "."]
        return String(
            (0..<Int.random(in: 0...8, using: &self)).map { _ in alphabet.randomElement(using: &self) ?? "a" })
    }
}
