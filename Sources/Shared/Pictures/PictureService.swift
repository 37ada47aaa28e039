import Crypto
public import Foundation
public import Logging

/// New pictures of people, from the file that was received to the picture that counts.
public struct PictureService: Sendable {
    /// Uploads a user has within `uploadWindow`: each costs seconds of a core and some memory.
    public static let uploadLimit = 20
    /// Seconds.
    public static let uploadWindow: TimeInterval = 3_600
    /// Seconds a picture may take from its first object until it counts; then it is given up. Far longer than a store's
    /// deadlines together, and far shorter than `orphanAge`, so that no orphan can become a picture that counts.
    static let longestStorage: TimeInterval = 3_600
    /// Seconds after which an object of nobody's picture is none that is still on its way.
    public static let orphanAge: TimeInterval = 86_400

    private let users: any UserStore
    private let tokens: any OneTimeTokenStore
    private let objects: PictureObjects
    private let maker: any PictureMaker
    private let quotaKey: SymmetricKey
    private let clock: WallClock
    private let logger: Logger
    private let uploads = UploadsInProcess()

    /// - Parameters:
    ///   - objects: where the pictures' objects are kept.
    ///   - maker: makes them from what is uploaded.
    ///   - logger: told when the object store fails.
    public init(
        stores: Stores, objects: any ObjectStore, maker: any PictureMaker, secrets: Secrets, clock: WallClock,
        logger: Logger
    ) {
        users = stores.users
        tokens = stores.tokens
        self.objects = PictureObjects(objects: objects)
        self.maker = maker
        quotaKey = DerivedKey.pictureQuota.make(from: secrets.jwt)
        self.clock = clock
        self.logger = logger
    }

    /// Lets an upload in, before any of it is read: one of a user at a time, a few of all, and some in an hour.
    /// - Parameter body: receives the file and hands it to `replace`.
    /// - Throws: what `body` throws; `AppError`: `conflict` (`upload-under-way`), `tooManyRequests`
    ///   (`too-many-uploads`), `unavailable` (`pictures-busy`).
    public func admit<Value>(_ principal: Principal, _ body: () async throws -> Value) async throws -> Value {
        try uploads.begin(principal.userID)
        defer { uploads.end(principal.userID) }
        let key = SecureBytes.hmac(Data("upload|\(principal.userID)".utf8), key: quotaKey)
        guard
            try await tokens.takeQuota(
                key: key, limit: Self.uploadLimit, window: Self.uploadWindow, at: clock.now)
        else {
            throw AppError(
                .tooManyRequests, "You have uploaded many pictures in a short time. Please try again in an hour.",
                reason: "too-many-uploads", retryAfter: Int(Self.uploadWindow))
        }
        return try await body()
    }

    /// Makes the caller's picture from a file, stores it, and then lets it count in the place of the former one, whose
    /// objects are removed by a job. Whatever fails before it counts, the former one stays.
    /// - Parameter path: of a file that whoever calls removes.
    /// - Throws: what `PictureMaker.make` throws; `AppError`: `unavailable` (`pictures-unavailable`) while the object
    ///   store is away, `unauthenticated` if the account is gone. `CancellationError`.
    public func replace(of principal: Principal, with path: String) async throws -> ProfilePicture {
        let made = try await maker.make(from: path)
        // Whole seconds: no store keeps more of them than that, and nobody needs more.
        let picture = ProfilePicture(
            uploadedAt: Date(timeIntervalSince1970: clock.now.timeIntervalSince1970.rounded(.down)))
        do {
            try await store(made, as: picture)
            guard clock.now.timeIntervalSince(picture.uploadedAt) < Self.longestStorage else {
                throw AppError.picturesUnavailable
            }
        } catch {
            // The store has kept the answer waiting before.
            await discard(picture, within: .seconds(5))
            throw error
        }
        try await count(picture, for: principal)
        return picture
    }

    private func store(_ made: MadePicture, as picture: ProfilePicture) async throws {
        do {
            try await objects.put(made, as: picture)
        } catch ObjectStoreError.unavailable(let words) {
            logger.warning("A picture could not be stored", metadata: ["error": "\(words)"])
            throw AppError.picturesUnavailable
        } catch ObjectStoreError.misconfigured(let words) {
            logger.error("The object store needs other settings", metadata: ["error": "\(words)"])
            throw AppError.picturesUnavailable
        }
    }

    private func count(_ picture: ProfilePicture, for principal: Principal) async throws {
        do {
            _ = try await users.replacePicture(of: principal.userID, by: picture, at: clock.now)
        } catch let error as AppError where error.code == .unavailable {
            // A store that went away in the middle may have counted it: its objects stay, for if it has not, they are
            // orphans and the job for these finds them.
            throw error
        } catch {
            await discard(picture)
            throw error as? AppError == .noSuchUser ? AppError.sessionEnded : error
        }
    }

    /// Removes what was put; what cannot be removed now is found as an orphan later.
    ///
    /// In a task of its own, because the one that stored may be cancelled, and with it every call it makes.
    /// - Parameter limit: how long the answer may wait for it.
    private func discard(_ picture: ProfilePicture, within limit: Duration = .seconds(60)) async {
        let removal = Task { try await objects.remove(picture.id) }
        let end = Task {
            try await Task.sleep(for: limit)
            removal.cancel()
        }
        do {
            try await removal.value
        } catch {
            logger.warning("Objects of a picture that failed are left for the job that looks for such")
        }
        end.cancel()
    }
}
