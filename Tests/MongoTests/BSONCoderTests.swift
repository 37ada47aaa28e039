import Foundation
import Mongo
import Testing

@Suite struct BSONCoderTests {
    struct Everything: Codable, Equatable {
        var text = "é\0漢"
        var number = -1
        var small: Int8 = -128
        var medium: Int32 = .max
        var large: Int64 = .min
        var unsigned: UInt64 = 7
        var real = 0.1
        var single: Float = 0.5
        var truth = true
        var instant = Date(timeIntervalSince1970: 1_600_000_000.123)
        var bytes: [UInt8] = [0, 1, 255]
        var data = Data([9, 8])
        var identifier = UUID()
        var list = [1, 2, 3]
        var holes: [Int?] = [1, nil, 3]
        var nested: [Inner] = [Inner(name: "a", next: nil), Inner(name: "b", next: 4)]
        var map = ["k": 1.5]
        var kind = Kind.second
        var missing: String?
        var present: String? = "here"
        var raw: BSONDocument = ["any": ["thing": nil]]
        var value: BSONValue = .int32(5)

        struct Inner: Codable, Equatable {
            var name: String
            var next: Int?
        }
        enum Kind: String, Codable { case first, second }
    }

    @Test func `A value of every type survives the round trip`() throws {
        let value = Everything()
        let document = try BSONEncoder().encode(value)
        #expect(try BSONDocument(bytes: document.bytes) == document)
        #expect(try BSONDecoder().decode(Everything.self, from: document) == value)
    }

    @Test func `Types map as documented`() throws {
        let document = try BSONEncoder().encode(Everything())
        #expect(document["number"] == .int64(-1))
        #expect(document["small"] == .int32(-128))
        #expect(document["medium"] == .int32(.max))
        #expect(document["unsigned"] == .int64(7))
        #expect(document["instant"] == .date(1_600_000_000_123 as Int64))
        #expect(document["bytes"] == .binary([0, 1, 255]))
        #expect(document["data"] == .binary([9, 8]))
        #expect(document["kind"] == "second")
        #expect(document["missing"] == nil)
        #expect(document["holes"] == [1, nil, 3])
        #expect(document["raw"] == ["any": ["thing": nil]])
        #expect(document.keys.first == "text")
    }

    @Test func `Null and missing are both nil`() throws {
        let decoder = BSONDecoder()
        #expect(try decoder.decode(Everything.Inner.self, from: ["name": "a", "next": nil]).next == nil)
        #expect(try decoder.decode(Everything.Inner.self, from: ["name": "a"]).next == nil)
        #expect(throws: DecodingError.self) { try decoder.decode(Everything.Inner.self, from: ["name": nil]) }
        #expect(throws: DecodingError.self) { try decoder.decode(Everything.Inner.self, from: ["next": 1]) }
    }

    @Test func `Fields decode in any order, and unknown ones are ignored`() throws {
        let document: BSONDocument = ["next": .int32(2), "extra": ["x"], "name": "n"]
        let inner = try BSONDecoder().decode(Everything.Inner.self, from: document)
        #expect(inner == Everything.Inner(name: "n", next: 2))
    }

    struct Tiny: Codable { var number: Int8 }

    @Test(arguments: [.int64(128), .double(1.5), .double(.nan), "1", true, nil, [1], ["a": 1]] as [BSONValue])
    func `A number that does not fit is refused`(_ value: BSONValue) {
        #expect(throws: DecodingError.self) { try BSONDecoder().decode(Tiny.self, from: ["number": value]) }
    }

    @Test func `An error names the field by its path`() {
        struct Outer: Decodable { var inner: [Tiny] }
        let document: BSONDocument = ["inner": [["number": 1], ["number": "x"]]]
        do {
            _ = try BSONDecoder().decode(Outer.self, from: document)
            Issue.record("Nothing was thrown")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["inner", "1", "number"])
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `A value that BSON cannot represent is refused`() {
        let encoder = BSONEncoder()
        #expect(throws: EncodingError.self) { try encoder.encode(["number": UInt64.max]) }
        #expect(throws: EncodingError.self) { try encoder.encode(["a\0b": 1]) }
        #expect(throws: EncodingError.self) { try encoder.encode([1, 2]) }
        #expect(throws: EncodingError.self) { try encoder.encode("text") }
    }

    class Base: Codable {
        var base = 1
        init() {}
    }

    final class Derived: Base {
        var own = 2
        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            own = try container.decode(Int.self, forKey: .own)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            let first = try list.decode(Int.self)
            let second = try list.nestedContainer(keyedBy: Keys.self).decode(Int.self, forKey: .own)
            let third = try list.decode(Int.self)
            guard (first, second, third, list.isAtEnd) == (1, 2, 3, true) else {
                throw DecodingError.dataCorruptedError(forKey: .list, in: container, debugDescription: "Wrong order")
            }
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            var nested = list.nestedContainer(keyedBy: Keys.self)
            try list.encode(3)
            try nested.encode(2, forKey: .own)
            try super.encode(to: container.superEncoder())
            try container.encode(own, forKey: .own)
        }

        enum Keys: CodingKey { case own, list }
    }

    @Test func `Containers opened by hand keep their places`() throws {
        let derived = Derived()
        (derived.base, derived.own) = (10, 20)
        let document = try BSONEncoder().encode(derived)
        #expect(document["list"] == [1, ["own": 2], 3])
        let again = try BSONDecoder().decode(Derived.self, from: document)
        #expect(again.base == 10 && again.own == 20)
    }
}
