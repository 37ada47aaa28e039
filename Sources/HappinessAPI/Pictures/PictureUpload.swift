import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import PictureToolInterface

/// Receives an uploaded picture into a file: raw, or as the part `image` of a form.
struct PictureUpload {
    /// Maximum size of a picture in bytes: more than any phone's camera produces as JPEG.
    static let maximumBytes = 25 * 1024 * 1024
    /// Maximum size in bytes of the rest of a form: other fields, headers, boundaries.
    static let maximumOverhead = 1024 * 1024
    /// Name of the form field with the picture.
    static let fieldName = "image"
    /// Name of the form field with the form token; it must come before the picture.
    static let tokenFieldName = "formToken"
    /// Maximum size of a token in bytes: longer than any of our tokens.
    private static let maximumTokenBytes = 256

    /// Throws unless a form's token is valid; called with `nil` if the form has none.
    typealias FormCheck = (String?) throws -> Void

    private let file: UploadFile
    private let check: FormCheck?
    private var token: [UInt8]?
    /// The first bytes, buffered until they are enough to detect the format.
    private var start: [UInt8] = []
    private var isKindKnown = false
    private var received = 0

    private init(file: UploadFile, check: FormCheck?) {
        self.file = file
        self.check = check
    }

    /// Writes the picture of a request to the file. Rejects other content and too large pictures as early as possible,
    /// before the rest arrives.
    /// - Parameter check: called for a form before its picture is read; for any other body with `nil`.
    /// - Throws: what `check` throws; `AppError`: `tooLarge`, `unsupportedMediaType`, `malformed`, `unprocessable` (empty),
    ///   `tooSlow`; `unavailable` if the disk is full.
    static func receive(_ request: Request, into file: UploadFile, checking check: FormCheck? = nil) async throws {
        let declared = request.headers[.contentLength].flatMap(Int.init)
        let contentType = request.headers[.contentType] ?? ""
        var upload = PictureUpload(file: file, check: check)
        if contentType.isMediaType("multipart/form-data") {
            let boundary = try MultipartBoundary(contentType: contentType)
            guard declared ?? 0 <= maximumBytes + maximumOverhead else { throw tooLarge }
            try await upload.receive(form: request, boundary: boundary)
        } else {
            guard declared ?? 0 <= maximumBytes else { throw tooLarge }
            try check?(nil)
            try await upload.receive(raw: request, length: declared)
        }
        try upload.finish()
    }

    private mutating func receive(raw request: Request, length: Int?) async throws {
        var pieces = BodyChunks(request.body)
        while let piece = try await pieces.next() { try await append(piece) }
        // If the connection closes halfway, the body may end as if it were complete.
        guard length == nil || length == received else { throw AppError.cutShort }
    }

    private mutating func receive(form request: Request, boundary: MultipartBoundary) async throws {
        var parser = MultipartParser(boundary: boundary)
        var pieces = BodyChunks(request.body)
        var isPicture = false
        var isToken = false
        var pictures = 0
        while let piece = try await pieces.next() {
            guard pieces.received <= Self.maximumBytes + Self.maximumOverhead else { throw Self.tooLarge }
            for event in try parser.read(piece) {
                switch event {
                case .part(let headers):
                    isPicture = headers.name == Self.fieldName
                    isToken = headers.name == Self.tokenFieldName
                    if isPicture {
                        pictures += 1
                        let token = token.map { String(decoding: $0, as: UTF8.self) }
                        try ControlCharacters.refuse(in: token ?? "", field: Self.tokenFieldName)
                        try check?(token)
                    }
                    guard pictures <= 1 else {
                        throw AppError(.malformed, "The form has more than one part named \(Self.fieldName).")
                    }
                case .content(let bytes):
                    if isPicture { try await append(bytes) }
                    if isToken { keepToken(bytes) }
                case .partEnd:
                    isPicture = false
                    isToken = false
                }
            }
        }
        try parser.finish()
        guard pictures == 1 else {
            throw AppError(.malformed, "The form needs a part named \(Self.fieldName), with the picture.")
        }
    }

    /// Truncates a token that is too long, which makes it invalid.
    private mutating func keepToken(_ bytes: ByteBuffer) {
        token = Array(((token ?? []) + bytes.readableBytesView).prefix(Self.maximumTokenBytes))
    }

    private mutating func append(_ bytes: ByteBuffer) async throws {
        received += bytes.readableBytes
        guard received <= Self.maximumBytes else { throw Self.tooLarge }
        if !isKindKnown {
            start += bytes.readableBytesView.prefix(PictureKind.decisiveLength - start.count)
            if start.count == PictureKind.decisiveLength { try decideKind() }
        }
        try await file.write(bytes)
    }

    private mutating func decideKind() throws(AppError) {
        do {
            _ = try PictureKind(of: start)
        } catch {
            throw AppError(refusing: error)
        }
        isKindKnown = true
    }

    /// Handles a file too short to detect its format earlier.
    private mutating func finish() throws(AppError) {
        if !isKindKnown { try decideKind() }
    }

    private static let tooLarge = AppError(
        .tooLarge, "The picture is larger than \(maximumBytes / 1024 / 1024) MB. Please send a smaller one.")
}
