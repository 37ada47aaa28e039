import HTTPTypes
import TestSupport
import Testing

@testable import ObliviousHTTP

@Suite struct BinaryHTTPTests {
    /// RFC 9292 §5.1: the same request with both framings.
    private static let fields = """
        0a 757365722d6167656e74 34
        6375726c2f372e31362e33206c69626375726c2f372e31362e33204f70656e53534c2f302e392e376c207a6c69622f312e322e33
        04 686f7374 0f 7777772e6578616d706c652e636f6d
        0f 6163636570742d6c616e6775616765 06 656e2c206d69
        """
    private static let start = "03474554 05 6874747073 00 0a 2f68656c6c6f2e747874"

    private static func headerFields() throws -> HTTPFields {
        [
            .userAgent: "curl/7.16.3 libcurl/7.16.3 OpenSSL/0.9.7l zlib/1.2.3",
            try #require(HTTPField.Name("host")): "www.example.com", .acceptLanguage: "en, mi",
        ]
    }

    @Test(arguments: [
        "00 \(start) 406c \(fields) 0000",
        "00 \(start) 406c \(fields)",
        "02 \(start) \(fields) 000000",
        "02 \(start) \(fields) 00000000000000000000",
        "02 \(start) \(fields) 00",
    ])
    func `The RFC's example of a request is read in all its forms`(hexadecimal: String) throws {
        let (request, content) = try BinaryHTTP.decodeRequest(Bytes(hexadecimal))
        #expect(request.method == .get)
        #expect(request.scheme == "https")
        #expect(request.authority == "")
        #expect(request.path == "/hello.txt")
        #expect(request.headerFields == (try Self.headerFields()))
        #expect(content == [])
    }

    @Test func `A request is written as in the RFC's example`() throws {
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "", path: "/hello.txt",
            headerFields: try Self.headerFields())
        #expect(BinaryHTTP.encode(request) == (try Bytes("00 \(Self.start) 406c \(Self.fields) 0000")))
    }

    /// RFC 9292 §5.1: with content and a trailer.
    @Test func `The RFC's example of a response is read without its trailer`() throws {
        let content = "5468697320636f6e74656e7420636f6e7461696e732043524c462e0d0a"
        let (response, read) = try BinaryHTTP.decodeResponse(
            Bytes("03 40c8 00 1d \(content) 00 07 747261696c6572 04 74657874 00"))
        #expect(response.status == .ok)
        #expect(String(decoding: read, as: UTF8.self) == "This content contains CRLF.\r\n")
        let known = try BinaryHTTP.decodeResponse(Bytes("01 40c8 00 1d \(content) 0d 07 747261696c6572 04 74657874"))
        #expect(known.content == read)
    }

    /// As in RFC 9292 §5.2: 102 with a field, 103 with another, and 200.
    @Test func `Informational responses are skipped`() throws {
        let (response, content) = try BinaryHTTP.decodeResponse(
            Bytes("01 4066 05 01 61 02 6262 4067 00 40c8 05 01 63 02 6464 02 6869"))
        #expect(response.status == .ok)
        #expect(response.headerFields.map(\.value) == ["dd"])
        #expect(content == Array("hi".utf8))
    }

    @Test func `A message is padded to one size, and read again`() throws {
        let request = HTTPRequest(
            method: .post, scheme: "https", authority: "a.example", path: "/x",
            headerFields: [.contentType: "application/json"])
        for length in [0, 1, 63, 64, 900] {
            let content = [UInt8](repeating: 7, count: length)
            let padded = BinaryHTTP.encode(request, content: content, paddedTo: 1024)
            #expect(padded.count == 1024)
            let read = try BinaryHTTP.decodeRequest(padded)
            #expect(read.request == request)
            #expect(read.content == content)
        }
        #expect(BinaryHTTP.encode(HTTPResponse(status: .ok), content: [1], paddedTo: 16).count == 16)
        let long = BinaryHTTP.encode(HTTPResponse(status: .ok), content: Array(repeating: 1, count: 20), paddedTo: 16)
        #expect(long.count == 32)
    }

    @Test(arguments: [
        ("nothing", ""), ("a response", "01 40c8"), ("an unknown framing", "04 03474554 00 00 00"),
        ("a method that ends early", "00 03 4745"), ("no path", "00 03474554 00 00"),
        ("a field section that ends early", "00 03474554 00 00 012f 05 01 61"),
        ("a field name in upper case", "00 03474554 00 00 012f 04 01 41 01 62"),
        ("a pseudo header field", "00 03474554 00 00 012f 05 02 3a61 01 62"),
        ("a line end in a value", "00 03474554 00 00 012f 05 01 61 02 0d0a"),
        ("content that ends early", "00 03474554 00 00 012f 00 05 61"),
        ("padding with something in it", "00 03474554 00 00 012f 00 00 00 01"),
        ("a length of more bytes than there are", "00 ffffffffffffffff 47"),
        ("a path that is no text", "00 03474554 00 00 01ff"),
    ])
    func `A malformed request is refused`(what: String, hexadecimal: String) throws {
        let bytes = try Bytes(hexadecimal)
        #expect(throws: ObliviousHTTPError.malformed) { try BinaryHTTP.decodeRequest(bytes) }
    }

    @Test(arguments: ["01", "00 40c8", "01 4258", "01 4063 00", "01 4066 00", "01 40c8 01"])
    func `A malformed response is refused`(hexadecimal: String) throws {
        let bytes = try Bytes(hexadecimal)
        #expect(throws: ObliviousHTTPError.malformed) { try BinaryHTTP.decodeResponse(bytes) }
    }

    @Test(arguments: [0, 63, 64, 16_383, 16_384, 1 << 30 - 1, 1 << 30, 1 << 61])
    func `A variable integer is read as it was written`(value: Int) throws {
        var bytes: [UInt8] = []
        bytes.append(variableInteger: value)
        var reader = ByteReader(bytes)
        #expect(try reader.variableInteger() == value)
        #expect(reader.isAtEnd)
    }

    /// RFC 9000 A.1.
    @Test(arguments: [
        ("c2197c5eff14e88c", 151_288_809_941_952_652), ("9d7f3e7d", 494_878_333), ("7bbd", 15_293), ("25", 37),
        ("4025", 37),
    ])
    func `The examples of RFC 9000 are read`(hexadecimal: String, value: Int) throws {
        var reader = ByteReader(try Bytes(hexadecimal))
        #expect(try reader.variableInteger() == value)
    }
}
