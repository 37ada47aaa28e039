import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Ports
import Services

/// Serves pictures by signed links, for image views that cannot send a token.
struct PictureDelivery: Sendable {
    let links: PictureLinks
    let objects: any ObjectStore
    let defaults: DefaultPictureCache
    let clock: WallClock

    /// `GET /pictures/{id}/{name}`: an uploaded picture. Only this server has access to the store.
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let ends = try verify(request)
        guard let id = context.parameters.get("id").flatMap({ ProfilePicture.ID($0) }),
            let form = context.parameters.get("name").flatMap(Self.form),
            let object = try await load(ProfilePicture(id: id, uploadedAt: ends).key(form.size, form.format), context)
        else { throw AppError(.notFound, "This picture no longer exists.", reason: .pictureGone) }
        let picture = DeliveredPicture(bytes: ByteBuffer(bytes: object.bytes), mediaType: form.format.mediaType)
        return picture.response(to: request, until: ends, at: clock.now)
    }

    /// `GET /pictures/initials/{name}`: the default picture of a user who uploaded none.
    func showInitials(_ request: Request, context: AppRequestContext) async throws -> Response {
        let ends = try verify(request)
        guard let picture = context.parameters.get("name").flatMap(DefaultPicture.init) else {
            throw AppError(.notFound, "This picture no longer exists.", reason: .pictureGone)
        }
        do {
            return try await defaults.picture(picture).response(to: request, until: ends, at: clock.now)
        } catch  where AppError(error)?.code == .unavailable {
            // Not cached: the next request may succeed in creating it.
            return defaults.fallback.response(to: request, until: clock.now, at: clock.now)
        }
    }

    private func verify(_ request: Request) throws -> Date {
        try links.verify(
            path: request.uri.path, expires: request.query("expires"), signature: request.query("signature"))
    }

    private func load(_ key: ObjectKey, _ context: AppRequestContext) async throws -> StoredObject? {
        do {
            return try await objects.get(key)
        } catch ObjectStoreError.unavailable(let words), ObjectStoreError.misconfigured(let words) {
            context.logger.warning("A picture could not be loaded", metadata: ["error": "\(words)"])
            throw AppError.picturesUnavailable
        }
    }

    /// Parses a file name such as `512.jpg`.
    private static func form(_ name: String) -> MadePicture.Form? {
        for size in ProfilePicture.Size.allCases {
            for format in ProfilePicture.Format.allCases where name == "\(size.rawValue).\(format.rawValue)" {
                return MadePicture.Form(size, format)
            }
        }
        return nil
    }
}

/// The bytes of a picture in a response that a browser may cache until the link expires.
struct DeliveredPicture: Sendable {
    private let bytes: ByteBuffer
    private let mediaType: String
    /// In the tag.
    private let hash: String

    init(bytes: ByteBuffer, mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
        hash = SecureBytes.sha256(bytes.readableBytesView).prefix(16).hexadecimal
    }

    /// The bytes, or 304 if the client has them.
    /// - Parameter end: when the link expires; not after `now` means that the response must not be cached.
    func response(to request: Request, until end: Date, at now: Date) -> Response {
        let age = Int(end.timeIntervalSince(now))
        var headers: HTTPFields = [
            .eTag: "\"\(hash)\"", .cacheControl: age > 0 ? "private, max-age=\(age), immutable" : "no-store",
        ]
        if request.hasCached(hash) {
            return Response(status: .notModified, headers: headers)
        }
        headers[.contentType] = mediaType
        headers[.contentDisposition] = "inline"
        // Keeps pages of other sites from showing it.
        headers[.crossOriginResourcePolicy] = "same-origin"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }
}
