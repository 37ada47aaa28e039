import Crypto
package import Domain
package import Foundation
package import Ports
import Storage

/// Temporary URLs from which an image view of a browser or phone loads pictures without a token.
///
/// A link is valid from the full hour until two hours later. It stays the same for an hour, so that caches work, and a
/// client can use it for at least an hour. After a user is disabled or deleted, no link works for longer than two
/// hours.
package struct PictureLinks: Sendable {
    /// Seconds for which a link stays the same.
    static let period: TimeInterval = 3_600
    /// The validity of a link from the full hour on.
    static let lifetime = Duration.seconds(7_200)
    /// The prefix of all our paths.
    package static let pathPrefix = "/pictures/"

    private let objects: any ObjectStore
    private let key: SymmetricKey
    private let publicURL: String
    private let clock: WallClock

    /// - Parameters:
    ///   - objects: signs links to itself, if clients can reach it.
    ///   - publicURL: the prefix of links to us, without a trailing slash.
    package init(objects: any ObjectStore, secrets: Secrets, publicURL: String, clock: WallClock) {
        self.objects = objects
        key = DerivedKey.pictureLinks.make(from: secrets.jwt)
        self.publicURL = publicURL
        self.clock = clock
    }

    /// A URL with its expiry.
    package struct Link: Hashable, Sendable {
        /// Grants access by itself, so it must not be logged.
        package let url: String
        /// The first instant at which it no longer works.
        package let ends: Date
    }

    /// A link to one form of a picture.
    package func link(
        to picture: ProfilePicture, _ size: ProfilePicture.Size, _ format: ProfilePicture.Format
    ) -> Link {
        let (start, end) = span
        let key = picture.key(size, format)
        if let url = objects.link(to: key, from: start, lifetime: Self.lifetime) { return Link(url: url, ends: end) }
        return own(path: "/\(key)", ends: end)
    }

    /// A link to a default picture, which we always serve ourselves.
    package func link(to picture: DefaultPicture) -> Link {
        own(path: "\(Self.pathPrefix)initials/\(picture.fileName)", ends: span.end)
    }

    /// A link to a user's own picture, or to their default picture.
    /// - Parameter format: for an own picture; a default one is PNG.
    package func link(
        toPictureOf user: User, _ size: ProfilePicture.Size, _ format: ProfilePicture.Format
    ) -> Link {
        user.picture.map { link(to: $0, size, format) } ?? link(to: DefaultPicture(of: user, size: size))
    }

    /// Checks that a link is genuine and valid.
    /// - Parameters:
    ///   - path: of the URL, without its query.
    ///   - expires: the query value, seconds since 1970.
    ///   - signature: the query value.
    /// - Returns: its expiry.
    /// - Throws: `AppError.forbidden`: `picture-link-invalid`, `picture-link-ended`.
    package func verify(path: String, expires: String?, signature: String?) throws(AppError) -> Date {
        guard let expires, let signature, let given = [UInt8](base64URL: signature),
            SecureBytes.areEqual(given, code(of: path, expires: expires)), let seconds = Int64(expires)
        else {
            throw AppError(
                .forbidden, "This link to a picture is incomplete, or was changed.", reason: .pictureLinkInvalid)
        }
        let end = Date(timeIntervalSince1970: Double(seconds))
        guard clock.now < end else {
            throw AppError(
                .forbidden, "This link to a picture has expired. Please reload the page or profile that shows it.",
                reason: .pictureLinkEnded)
        }
        return end
    }

    /// From the last full hour until `lifetime` later.
    private var span: (start: Date, end: Date) {
        let hour = (clock.now.timeIntervalSince1970 / Self.period).rounded(.down) * Self.period
        let start = Date(timeIntervalSince1970: hour)
        return (start, start + Self.lifetime / .seconds(1))
    }

    private func own(path: String, ends: Date) -> Link {
        let expires = String(ends.seconds)
        let signature = code(of: path, expires: expires).base64URL
        return Link(url: "\(publicURL)\(path)?expires=\(expires)&signature=\(signature)", ends: ends)
    }

    /// HMAC-SHA-256 over both; a path contains no line break.
    private func code(of path: String, expires: String) -> [UInt8] {
        SecureBytes.hmac(Data("\(path)\n\(expires)".utf8), key: key)
    }
}
