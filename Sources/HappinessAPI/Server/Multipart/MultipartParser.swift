import Domain
import NIOCore

/// Parses a multipart body (RFC 7578, RFC 2046 §5.1) in chunks, which may be cut anywhere.
///
/// It buffers only bytes that may begin a boundary, and a limited number of bytes of a part's headers. Lines must end
/// with CRLF, as the standard requires and all clients do.
struct MultipartParser {
    /// Parser output, in the order of the body.
    enum Event: Equatable {
        /// The headers of a new part.
        case part(MultipartHeaders)
        /// A chunk of the part's content.
        case content(ByteBuffer)
        /// The part is complete.
        case partEnd
    }

    /// Maximum number of parts in a body. Our forms have one; clients may send a few more fields.
    static let maximumParts = 32
    /// Maximum number of white space bytes after a boundary on its line; some gateways add them.
    private static let maximumPadding = 64

    private enum State {
        /// Before the first boundary; ignored.
        case preamble
        case content
        /// After a boundary, on the same line.
        case boundaryLine
        case headers
        /// After the last boundary.
        case epilogue
    }

    private let delimiter: [UInt8]
    private var state = State.preamble
    /// Bytes read but not parsed yet. Starts with a line break, since the first boundary may lack one.
    private var pending = ByteBuffer(string: "\r\n")
    private var parts = 0

    init(boundary: MultipartBoundary) {
        delimiter = Array("\r\n--\(boundary.text)".utf8)
    }

    /// Parses a chunk.
    /// - Throws: `AppError.malformed` with the reason; the parser must not be used after that.
    mutating func read(_ piece: ByteBuffer) throws(AppError) -> [Event] {
        guard state != .epilogue else { return [] }
        pending.writeImmutableBuffer(piece)
        var events: [Event] = []
        while try advance(&events) {}
        pending.discardReadBytes()
        return events
    }

    /// Call at the end of the body.
    /// - Throws: `AppError.malformed` unless the last boundary was read.
    func finish() throws(AppError) {
        guard state == .epilogue else { throw Self.error(Sentence("ends too early: its last boundary is missing")) }
    }

    /// Advances by one step.
    /// - Returns: false if more bytes are needed.
    private mutating func advance(_ events: inout [Event]) throws(AppError) -> Bool {
        switch state {
        case .preamble, .content:
            let found = pending.firstIndex(of: delimiter)
            // Without a boundary, all bytes except those that may begin one.
            let length = found ?? max(0, pending.readableBytes - (delimiter.count - 1))
            if let content = pending.readSlice(length: length), state == .content, length > 0 {
                events.append(.content(content))
            }
            guard found != nil else { return false }
            pending.moveReaderIndex(forwardBy: delimiter.count)
            if state == .content { events.append(.partEnd) }
            state = .boundaryLine
            return true
        case .boundaryLine: return try readBoundaryLine()
        case .headers:
            guard let headers = try readHeaders() else { return false }
            events.append(.part(headers))
            state = .content
            return true
        case .epilogue:
            pending.clear()
            return false
        }
    }

    /// Reads the rest of a boundary line: a line break, or two dashes after the last boundary.
    private mutating func readBoundaryLine() throws(AppError) -> Bool {
        let line = pending.readableBytesView
        if line.starts(with: "--".utf8) {
            state = .epilogue
            return true
        }
        let padding = line.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard padding.count <= Self.maximumPadding else {
            throw Self.error(Sentence("has a boundary that doesn’t end"))
        }
        let rest = line.dropFirst(padding.count)
        if rest.starts(with: "\r\n".utf8) {
            parts += 1
            guard parts <= Self.maximumParts else { throw Self.error(Sentence("has too many parts")) }
            // Keeps the line break, so that a part without headers ends like any other.
            pending.moveReaderIndex(forwardBy: padding.count)
            state = .headers
            return true
        }
        let isUndecided =
            rest.isEmpty || (rest.count == 1 && (rest.first == UInt8(ascii: "\r") || line.elementsEqual("-".utf8)))
        guard isUndecided else {
            throw Self.error(Sentence("has something behind a boundary that doesn’t belong there"))
        }
        return false
    }

    /// Reads the headers of a part once they are complete: from the line break after the boundary to an empty line.
    private mutating func readHeaders() throws(AppError) -> MultipartHeaders? {
        let length = pending.firstIndex(of: Array("\r\n\r\n".utf8))
        guard length ?? pending.readableBytes <= MultipartHeaders.maximumBytes else {
            throw Self.error(Sentence("has a part with too long headers"))
        }
        guard let length, let bytes = pending.readBytes(length: length) else { return nil }
        pending.moveReaderIndex(forwardBy: "\r\n\r\n".utf8.count)
        return try MultipartHeaders(bytes)
    }

    /// - Parameter what: the rest of the sentence "The upload …".
    static func error(_ what: Sentence) -> AppError {
        AppError(.malformed, "The upload isn’t readable multipart/form-data: it \(part: what).")
    }
}
