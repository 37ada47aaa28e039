import Crypto
package import Domain
package import Foundation
package import Logging
package import Ports
package import Storage

/// Uploads of pictures, from the received file to the user's new picture.
package struct PictureService: Sendable {
    /// Uploads per user within `uploadWindow`: each costs seconds of a core and some memory.
    package static let uploadLimit = 20
    /// Seconds.
    package static let uploadWindow: TimeInterval = 3_600
    /// Maximum number of seconds from a picture's first stored object until the user's record names it; later the
    /// upload fails. Far longer than all deadlines of a store together, and far shorter than `orphanAge`, so that an
    /// orphan cannot become a user's picture.
    static let longestStorage: TimeInterval = 3_600
    /// Seconds after which an object without a user no longer belongs to a running upload.
    package static let orphanAge: TimeInterval = 86_400

    private let store: any Store
    private let objects: PictureObjects
    private let maker: any PictureMaker
    private let quotaKey: SymmetricKey
    private let secret: BallotSecret
    private let clock: WallClock
    private let logger: Logger
    private let uploads = UploadsInProcess()

    /// - Parameters:
    ///   - objects: stores the pictures.
    ///   - maker: creates them from uploaded files.
    ///   - logger: reports failures of the object store.
    package init(
        stores: Stores, objects: any ObjectStore, maker: any PictureMaker, secrets: Secrets, clock: WallClock,
        logger: Logger
    ) {
        store = stores.rows
        self.objects = PictureObjects(objects: objects)
        self.maker = maker
        secret = secrets.ballot
        quotaKey = DerivedKey.pictureQuota.make(from: secrets.jwt)
        self.clock = clock
        self.logger = logger
    }

    /// Admits an upload before any of it is read: one per user at a time, a few in total, and a limited number per
    /// hour.
    /// - Parameter body: receives the file and passes it to `replace`.
    /// - Throws: what `body` throws; `AppError`: `conflict` (`upload-under-way`), `tooManyRequests`
    ///   (`too-many-uploads`), `unavailable` (`pictures-busy`).
    package func admit<Value>(_ principal: Principal, _ body: () async throws -> Value) async throws -> Value {
        try uploads.begin(principal.userID)
        defer { uploads.end(principal.userID) }
        let key = SecureBytes.hmac(Data("upload|\(principal.userID)".utf8), key: quotaKey)
        guard
            try await store.write({
                try $0.takeQuota(key, limit: Self.uploadLimit, window: Self.uploadWindow, at: clock.now)
            })
        else {
            throw AppError(
                .tooManyRequests, "You’ve uploaded a lot of pictures in a short time. Please try again in an hour.",
                reason: .tooManyUploads, retryAfter: Int(Self.uploadWindow))
        }
        return try await body()
    }

    /// Creates the caller's picture from a file, stores it, and then replaces the former one, whose objects a job
    /// removes. If anything fails before that, the former one stays.
    /// - Parameter path: of a file that the caller removes.
    /// - Throws: what `PictureMaker.make` throws; `AppError`: `unavailable` (`pictures-unavailable`) while the object
    ///   store is unavailable, `unauthenticated` if the account no longer exists. `CancellationError`.
    package func replace(of principal: Principal, with path: String) async throws -> ProfilePicture {
        let made = try await maker.make(from: path)
        // Whole seconds: no store keeps more precision, and it is sufficient.
        let picture = ProfilePicture(
            uploadedAt: Date(timeIntervalSince1970: clock.now.timeIntervalSince1970.rounded(.down)))
        do {
            try await save(made, as: picture)
            guard clock.now.timeIntervalSince(picture.uploadedAt) < Self.longestStorage else {
                throw AppError.picturesUnavailable
            }
        } catch {
            // Short, because the store has already delayed the response.
            await discard(picture, within: .seconds(5))
            throw error
        }
        try await count(picture, for: principal)
        return picture
    }

    private func save(_ made: MadePicture, as picture: ProfilePicture) async throws {
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
            _ = try await store.replacePicture(of: principal.userID, by: picture, at: clock.now, secret: secret)
        } catch  where AppError(error)?.code == .unavailable {
            // A store that became unavailable in between may have committed the change, so the objects stay. If it has
            // not, they are orphans, and the job for these removes them.
            throw error
        } catch {
            await discard(picture)
            throw error as? AppError == .noSuchUser ? AppError.sessionEnded : error
        }
    }

    /// Removes the stored objects; any that cannot be removed now are found as orphans later.
    ///
    /// In a separate task, because the storing task may be cancelled, and with it every call it makes.
    /// - Parameter limit: how long the response may wait for it.
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
