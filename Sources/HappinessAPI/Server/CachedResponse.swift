import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A complete response body and its entity tag.
struct CachedResponse: Sendable {
    private let bytes: ByteBuffer
    /// The same in the gzip format, if that is offered and smaller.
    private let gzipped: ByteBuffer?
    private let headers: HTTPFields
    /// In the tag.
    private let hash: String

    /// The tag is a hash of the bytes. These contain published states only, so the tag changes on publication and never
    /// when a ballot is cast.
    /// - Parameter isPublic: whether the bytes are the same for everyone; then they are also offered compressed.
    init(bytes: ByteBuffer, mediaType: String, isPublic: Bool = false) {
        self.bytes = bytes
        gzipped = isPublic ? Gzip.compress(Array(bytes.readableBytesView)).map(ByteBuffer.init(bytes:)) : nil
        hash = SecureBytes.sha256(bytes.readableBytesView).prefix(16).hexadecimal
        // Weak, because both encodings share it (RFC 9110 §8.8.1).
        let tag = gzipped == nil ? "\"\(hash)\"" : "W/\"\(hash)\""
        var headers: HTTPFields = [.contentType: mediaType, .eTag: tag, .cacheControl: "private, no-cache"]
        if gzipped != nil { headers[.vary] = "Accept-Encoding" }
        self.headers = headers
    }

    /// The bytes, or 304 if the client has them.
    func response(to request: Request) -> Response {
        if request.hasCached(hash) {
            var same = headers
            same[.contentType] = nil
            return Response(status: .notModified, headers: same)
        }
        guard let gzipped, request.acceptsGzip else {
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
        }
        var headers = headers
        headers[.contentEncoding] = "gzip"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: gzipped))
    }
}

extension Request {
    /// Whether the client has the bytes with this hash, or any (RFC 9110 §13.1.2).
    ///
    /// A proxy that compresses makes `W/"HASH"` or `"HASH-gzip"` of a tag `"HASH"` (nginx, and Apache's mod_deflate), and
    /// hands it on as the client sends it back. Both mean the same bytes here (RFC 9110 §8.8.3.2).
    /// - Parameter hash: what the tag consists of; long enough to be in no other one.
    func hasCached(_ hash: String) -> Bool {
        guard let known = headers[.ifNoneMatch] else { return false }
        return known == "*" || known.contains(hash)
    }

    /// Whether the client decodes gzip (RFC 9110 §12.5.3). All browsers send it without a weight.
    fileprivate var acceptsGzip: Bool {
        headers[values: .acceptEncoding].contains { value in
            value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == "gzip" }
        }
    }
}
