import NIOCore
import Shared

/// Takes a multipart body (RFC 7578, RFC 2046 §5.1) apart as it arrives, wherever it is cut into pieces.
///
/// It keeps no more of the body than may be the beginning of a boundary, and of a part's headers a bounded number of
/// bytes. Lines end with CRLF, as the rules say and all clients do.
struct MultipartParser {
    /// What was found, in the order of the body.
    enum Event: Equatable {
        /// A part begins; its headers.
        case part(MultipartHeaders)
        /// Some more of the part's content.
        case content(ByteBuffer)
        /// The part is whole.
        case partEnd
    }

    /// Parts of one body. Forms of ours have one; a client may send a few fields beside it.
    static let maximumParts = 32
    /// Bytes of white space that may follow a boundary on its line; some gateways add it.
    private static let maximumPadding = 64

    private enum Place {
        /// Before the first boundary: what stands there is for nobody.
        case preamble
        case content
        /// Behind a boundary, on its line.
        case boundaryLine
        case headers
        /// Behind the last boundary.
        case epilogue
    }

    private let delimiter: [UInt8]
    private var place = Place.preamble
    /// What was read and is not decided upon. Begins with a line break that the first boundary may lack.
    private var pending = ByteBuffer(string: "\r\n")
    private var parts = 0

    init(boundary: MultipartBoundary) {
        delimiter = Array("\r\n--\(boundary.text)".utf8)
    }

    /// Reads a piece.
    /// - Throws: `AppError.malformed` saying what is wrong; then nothing further may be read.
    mutating func read(_ piece: ByteBuffer) throws(AppError) -> [Event] {
        guard place != .epilogue else { return [] }
        pending.writeImmutableBuffer(piece)
        var events: [Event] = []
        while try advance(&events) {}
        pending.discardReadBytes()
        return events
    }

    /// To be called when the body has ended.
    /// - Throws: `AppError.malformed` unless the last boundary has come.
    func finish() throws(AppError) {
        guard place == .epilogue else { throw Self.error("ends too early: its last boundary is missing") }
    }

    /// Goes one step further.
    /// - Returns: false if that takes bytes that have not come yet.
    private mutating func advance(_ events: inout [Event]) throws(AppError) -> Bool {
        switch place {
        case .preamble, .content:
            let found = pending.firstIndex(of: delimiter)
            // Without a boundary, all but what may be the first bytes of one.
            let length = found ?? max(0, pending.readableBytes - (delimiter.count - 1))
            if let content = pending.readSlice(length: length), place == .content, length > 0 {
                events.append(.content(content))
            }
            guard found != nil else { return false }
            pending.moveReaderIndex(forwardBy: delimiter.count)
            if place == .content { events.append(.partEnd) }
            place = .boundaryLine
            return true
        case .boundaryLine: return try readBoundaryLine()
        case .headers:
            guard let headers = try readHeaders() else { return false }
            events.append(.part(headers))
            place = .content
            return true
        case .epilogue:
            pending.clear()
            return false
        }
    }

    /// What follows a boundary: a line break, or two dashes if it was the last.
    private mutating func readBoundaryLine() throws(AppError) -> Bool {
        let line = pending.readableBytesView
        if line.starts(with: "--".utf8) {
            place = .epilogue
            return true
        }
        let padding = line.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard padding.count <= Self.maximumPadding else { throw Self.error("has a boundary that does not end") }
        let rest = line.dropFirst(padding.count)
        if rest.starts(with: "\r\n".utf8) {
            parts += 1
            guard parts <= Self.maximumParts else { throw Self.error("has too many parts") }
            // The line break stays: with it, headers that are none end like others.
            pending.moveReaderIndex(forwardBy: padding.count)
            place = .headers
            return true
        }
        let isUndecided =
            rest.isEmpty || (rest.count == 1 && (rest.first == UInt8(ascii: "\r") || line.elementsEqual("-".utf8)))
        guard isUndecided else { throw Self.error("has something behind a boundary that does not belong there") }
        return false
    }

    /// The headers of a part, once they are whole: from the line break of the boundary to an empty line.
    private mutating func readHeaders() throws(AppError) -> MultipartHeaders? {
        let length = pending.firstIndex(of: Array("\r\n\r\n".utf8))
        guard length ?? pending.readableBytes <= MultipartHeaders.maximumBytes else {
            throw Self.error("has a part with too long headers")
        }
        guard let length, let bytes = pending.readBytes(length: length) else { return nil }
        pending.moveReaderIndex(forwardBy: "\r\n\r\n".utf8.count)
        return try MultipartHeaders(bytes)
    }

    /// - Parameter what: completes "The upload …".
    static func error(_ what: String) -> AppError {
        AppError(.malformed, "The upload is no multipart/form-data that can be read: it \(what).")
    }
}
