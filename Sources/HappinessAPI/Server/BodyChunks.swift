import Domain
import Hummingbird
import NIOCore

/// Reads a request's body in chunks and enforces the time limit.
struct BodyChunks {
    private var iterator: RequestBody.AsyncIterator
    private var pace = UploadTimeout()

    /// Bytes received so far.
    var received: Int { pace.received }

    init(_ body: RequestBody) {
        iterator = body.makeAsyncIterator()
    }

    /// The next chunk; `nil` at the end.
    /// - Throws: `AppError`: `tooSlow`, `malformed` (`cut-short`) if the client disconnected. `CancellationError`.
    mutating func next() async throws -> ByteBuffer? {
        let piece: ByteBuffer?
        do {
            piece = try await iterator.next()
        } catch let error as CancellationError {
            throw error
        } catch {
            // A connection error, or a body that violates HTTP: in any case the body is incomplete.
            throw AppError.cutShort
        }
        if let piece { try pace.record(piece.readableBytes) }
        return piece
    }
}

extension AppError {
    /// The client disconnected before the end of the body.
    static let cutShort = AppError(.malformed, "Only a part of the request arrived.", reason: .cutShort)
}
