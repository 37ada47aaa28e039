import Domain
import Foundation
import NIOCore
import Ports
import Services

/// Creates default pictures and caches them.
///
/// Only one is created at a time, however many are requested, so that a page of new members leaves room for uploads.
actor DefaultPictureCache {
    /// Number of cached pictures, about 5 KB each.
    static let capacity = 512

    /// The same picture for all users, shown if none can be created.
    let fallback: DeliveredPicture

    private let maker: any PictureMaker
    private let clock: WallClock
    private let made = BoundedCache<DefaultPicture, DeliveredPicture>(capacity: DefaultPictureCache.capacity)
    private var making: [DefaultPicture: Task<DeliveredPicture, any Error>] = [:]
    private var last: Task<DeliveredPicture, any Error>?

    /// - Throws: a file system error if the fallback picture is not installed.
    init(maker: any PictureMaker, resources: Resources, clock: WallClock) throws {
        self.maker = maker
        self.clock = clock
        fallback = DeliveredPicture(
            bytes: ByteBuffer(bytes: try resources.data("public/default-picture.png")), mediaType: "image/png")
    }

    /// Returns the picture, from the cache if possible.
    /// - Throws: as `PictureMaker.initials`.
    func picture(_ picture: DefaultPicture) async throws -> DeliveredPicture {
        if let known = made.value(for: picture, at: clock.now) { return known }
        if let task = making[picture] { return try await task.value }
        // Unstructured, because several requests may await it and the first one may be cancelled.
        let task = Task { [last] in
            _ = await last?.result
            return try await make(picture)
        }
        making[picture] = task
        last = task
        defer { making[picture] = nil }
        return try await task.value
    }

    private func make(_ picture: DefaultPicture) async throws -> DeliveredPicture {
        let bytes = try await maker.initials(picture.letters, on: picture.color, side: picture.size.rawValue)
        let delivered = DeliveredPicture(bytes: ByteBuffer(bytes: bytes), mediaType: "image/png")
        // Never expires: the key contains everything it was created from.
        made.store(
            delivered, for: picture, validity: .distantPast..<(.distantFuture), unlessRemovedSince: made.removals)
        return delivered
    }
}
