import Crypto
public import Foundation

/// URLs by which an image view, a browser's or a phone's, loads pictures without a token, for a while.
///
/// A link counts from the full hour and ends two hours later. So it stays the same for an hour, which lets caches work,
/// and whoever is given one can use it for an hour at least. Of a user who is disabled or deleted, no link works for
/// longer than two hours.
public struct PictureLinks: Sendable {
    /// Seconds for which a link stays the same.
    static let period: TimeInterval = 3_600
    /// How long after the full hour a link ends.
    static let lifetime = Duration.seconds(7_200)
    /// What every path of ours begins with.
    public static let pathPrefix = "/pictures/"

    private let objects: any ObjectStore
    private let key: SymmetricKey
    private let publicURL: String
    private let clock: WallClock

    /// - Parameters:
    ///   - objects: signs links to itself, if anybody but us reaches it.
    ///   - publicURL: what links to us begin with, without a slash at the end.
    public init(objects: any ObjectStore, secrets: Secrets, publicURL: String, clock: WallClock) {
        self.objects = objects
        key = DerivedKey.pictureLinks.make(from: secrets.jwt)
        self.publicURL = publicURL
        self.clock = clock
    }

    /// A URL and when it ends.
    public struct Link: Hashable, Sendable {
        /// Holds its own right to be loaded, so that it belongs in no log.
        public let url: String
        /// From this instant on it loads nothing.
        public let ends: Date
    }

    /// One form of a picture.
    public func link(
        to picture: ProfilePicture, _ size: ProfilePicture.Size, _ format: ProfilePicture.Format
    ) -> Link {
        let (start, end) = span
        let key = picture.key(size, format)
        if let url = objects.link(to: key, from: start, lifetime: Self.lifetime) { return Link(url: url, ends: end) }
        return own(path: "/\(key)", ends: end)
    }

    /// A default picture, always from us.
    public func link(to picture: DefaultPicture) -> Link {
        own(path: "\(Self.pathPrefix)initials/\(picture.fileName)", ends: span.end)
    }

    /// Somebody's own picture, or the initials that stand for it.
    /// - Parameter format: of an own picture; a default one is PNG.
    public func link(
        toPictureOf user: User, _ size: ProfilePicture.Size, _ format: ProfilePicture.Format
    ) -> Link {
        user.picture.map { link(to: $0, size, format) } ?? link(to: DefaultPicture(of: user, size: size))
    }

    /// Whether a link of ours was made by us and counts.
    /// - Parameters:
    ///   - path: of the URL, without its query.
    ///   - expires: the query value, seconds since 1970.
    ///   - signature: the query value.
    /// - Returns: when it ends.
    /// - Throws: `AppError.forbidden`: `picture-link-invalid`, `picture-link-ended`.
    public func verify(path: String, expires: String?, signature: String?) throws(AppError) -> Date {
        guard let expires, let signature, let given = [UInt8](base64URL: signature),
            SecureBytes.areEqual(given, code(of: path, expires: expires)), let seconds = Int64(expires)
        else {
            throw AppError(
                .forbidden, "This link to a picture is not complete, or was changed.", reason: "picture-link-invalid")
        }
        let end = Date(timeIntervalSince1970: Double(seconds))
        guard clock.now < end else {
            throw AppError(
                .forbidden, "This link to a picture has ended. Please load the page or profile that shows it again.",
                reason: "picture-link-ended")
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

    /// HMAC-SHA-256 over both; a path holds no line break.
    private func code(of path: String, expires: String) -> [UInt8] {
        SecureBytes.hmac(Data("\(path)\n\(expires)".utf8), key: key)
    }
}
