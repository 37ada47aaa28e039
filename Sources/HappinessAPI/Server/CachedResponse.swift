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
    private let tag: String

    /// The tag is a hash of the bytes. These contain published states only, so the tag changes on publication and never
    /// when a ballot is cast.
    /// - Parameter isPublic: whether the bytes are the same for everyone; then they are also offered compressed.
    init(bytes: ByteBuffer, mediaType: String, isPublic: Bool = false) {
        self.bytes = bytes
        gzipped = isPublic ? Gzip.compress(Array(bytes.readableBytesView)).map(ByteBuffer.init(bytes:)) : nil
        // Weak, because both encodings share it (RFC 9110 §8.8.1).
        let hash = SecureBytes.sha256(bytes.readableBytesView).prefix(16).hexadecimal
        tag = gzipped == nil ? "\"\(hash)\"" : "W/\"\(hash)\""
        var headers: HTTPFields = [.contentType: mediaType, .eTag: tag, .cacheControl: "private, no-cache"]
        if gzipped != nil { headers[.vary] = "Accept-Encoding" }
        self.headers = headers
    }

    /// The bytes, or 304 if the client has them (RFC 9110 §13.1.2).
    func response(to request: Request) -> Response {
        if let known = request.headers[.ifNoneMatch], known == "*" || known.contains(tag) {
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
    /// Whether the client decodes gzip (RFC 9110 §12.5.3). All browsers send it without a weight.
    fileprivate var acceptsGzip: Bool {
        headers[values: .acceptEncoding].contains { value in
            value.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == "gzip" }
        }
    }
}
