import Domain
import NIOCore
import Testing

@testable import HappinessAPI

/// Multipart bodies as clients send them, and invalid ones.
@Suite struct MultipartParserTests {
    /// A reassembled part.
    private struct Part: Equatable {
        let name: String?
        var content = ""
    }

    private static func boundary(_ text: String = "B-0") throws -> MultipartBoundary {
        try MultipartBoundary(contentType: "multipart/form-data; boundary=\"\(text)\"")
    }

    /// Parses a body that arrives in these chunks.
    private static func parse(_ pieces: [String], boundary: MultipartBoundary) throws -> [Part] {
        var parser = MultipartParser(boundary: boundary)
        var parts: [Part] = []
        var isOpen = false
        for piece in pieces {
            for event in try parser.read(ByteBuffer(string: piece)) {
                switch event {
                case .part(let headers):
                    #expect(!isOpen)
                    isOpen = true
                    parts.append(Part(name: headers.name))
                case .content(let bytes):
                    #expect(isOpen && bytes.readableBytes > 0)
                    parts[parts.count - 1].content += String(buffer: bytes)
                case .partEnd:
                    #expect(isOpen)
                    isOpen = false
                }
            }
        }
        try parser.finish()
        return parts
    }

    /// As OkHttp sends it, plus a preamble, a field before it, and content that looks like a boundary.
    private static let body = """
        nobody reads this\r
        --B-0\r
        Content-Disposition: form-data; name="note"\r
        \r
        hello\r
        --B-0  \t\r
        content-disposition: FORM-DATA; filename="a; name=\\"x\\".jpg"; name="image"\r
        Content-Type: image/jpg\r
        Content-Transfer-Encoding: binary\r
        Content-Length: 17\r
        \r
        \r\n--B-1\r\n--B\r\n\r-\r
        --B-0\r
        \r
        \r
        --B-0--\r
        nor this
        """

    private static let parts = [
        Part(name: "note", content: "hello"), Part(name: "image", content: "\r\n--B-1\r\n--B\r\n\r-"), Part(name: nil),
    ]

    /// Every position of a single cut, and every chunk size.
    @Test func `A body is read the same way wherever it is cut`() throws {
        let boundary = try Self.boundary()
        let bytes = Array(Self.body.utf8)
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        for cut in 0...bytes.count {
            let parts = try Self.parse([text(0..<cut), text(cut..<bytes.count)], boundary: boundary)
            #expect(parts == Self.parts, "cut at \(cut)")
        }
        for size in 1...bytes.count {
            let pieces = stride(from: 0, to: bytes.count, by: size).map { text($0..<min($0 + size, bytes.count)) }
            #expect(try Self.parse(pieces, boundary: boundary) == Self.parts, "pieces of \(size)")
        }
    }

    @Test func `A body that ends anywhere before its last boundary is refused`() throws {
        let boundary = try Self.boundary()
        let whole = Array(Self.body.utf8)
        let end = whole.count - "--\r\nnor this".utf8.count
        for length in 0...end {
            #expect(throws: AppError.self, "\(length) bytes") {
                try Self.parse([String(decoding: whole.prefix(length), as: UTF8.self)], boundary: boundary)
            }
        }
    }

    @Test(arguments: [
        ("--B-0x\r\n\r\n\r\n--B-0--", "behind a boundary"), ("--B-0-x", "behind a boundary"),
        ("--B-0\(String(repeating: " ", count: 65))\r\n", "doesn’t end"),
        ("--B-0\r\nno header\r\n\r\n\r\n--B-0--", "isn’t a header"),
        ("--B-0\r\nA: \(String(repeating: "x", count: 9_000))", "too long headers"),
        ("--B-0\r\nA: \(String(repeating: "x", count: 9_000))\r\n\r\n", "too long headers"),
        ("--B-0\r\nContent-Transfer-Encoding: base64\r\n\r\n\r\n--B-0--", "plain bytes"),
        (String(repeating: "--B-0\r\n\r\n\r\n", count: 33), "too many parts"), ("", "ends too early"),
        ("--B-0--x", ""),
    ])
    func `An invalid form is refused in words`(body: String, words: String) throws {
        let boundary = try Self.boundary()
        guard !words.isEmpty else {
            #expect(try Self.parse([body], boundary: boundary).isEmpty, "what follows the end is nobody's")
            return
        }
        for pieces in [[body], body.map(String.init)] {
            let error = #expect(throws: AppError.self) { try Self.parse(pieces, boundary: boundary) }
            #expect(error?.code == .malformed && error?.message.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test func `A picture is passed on as it arrives and not kept`() throws {
        var parser = MultipartParser(boundary: try Self.boundary())
        _ = try parser.read(ByteBuffer(string: "--B-0\r\n\r\n"))
        let piece = ByteBuffer(repeating: UInt8(ascii: "\r"), count: 100_000)
        var sent = 0
        var received = 0
        for _ in 0..<20 {
            sent += piece.readableBytes
            for case .content(let bytes) in try parser.read(piece) { received += bytes.readableBytes }
            #expect(sent - received < 10, "no more than may be a boundary's beginning waits")
        }
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary=a\u{e4}",
        "multipart/form-data; boundary=\"a\r\nb\"",
        "multipart/form-data; boundary=\(String(repeating: "x", count: 71))",
    ])
    func `An invalid boundary is refused`(contentType: String) {
        #expect(throws: AppError.self) { try MultipartBoundary(contentType: contentType) }
    }

    @Test(arguments: [
        "multipart/form-data; boundary=abc", "multipart/form-data;boundary=\"abc\"; charset=utf-8",
        "multipart/form-data; charset=utf-8; Boundary=abc", "multipart/form-data; x; boundary = abc",
    ])
    func `A boundary is found however it is written`(contentType: String) throws {
        #expect(try MultipartBoundary(contentType: contentType).text == "abc")
    }
}
