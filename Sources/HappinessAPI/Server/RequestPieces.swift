import Hummingbird
import NIOCore
import Shared

/// A request's body, piece by piece, while it keeps the pace.
struct RequestPieces {
    private var iterator: RequestBody.AsyncIterator
    private var pace = RequestPace()

    /// Bytes so far.
    var received: Int { pace.received }

    init(_ body: RequestBody) {
        iterator = body.makeAsyncIterator()
    }

    /// The next piece; `nil` at the end.
    /// - Throws: `AppError`: `tooSlow`, `malformed` (`cut-short`) if the client has gone. `CancellationError`.
    mutating func next() async throws -> ByteBuffer? {
        let piece: ByteBuffer?
        do {
            piece = try await iterator.next()
        } catch let error as CancellationError {
            throw error
        } catch {
            // Of a connection, or of a body that breaks the rules of HTTP: whatever it says, the body is not whole.
            throw AppError.cutShort
        }
        if let piece { try pace.note(piece.readableBytes) }
        return piece
    }
}

extension AppError {
    /// The client has gone half-way.
    static let cutShort = AppError(.malformed, "The request did not arrive as a whole.", reason: "cut-short")
}
