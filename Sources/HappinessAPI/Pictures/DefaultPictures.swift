import Foundation
import NIOCore
import Shared

/// Default pictures, each made once and kept for a while.
///
/// One is made at a time, however many are asked for, so that a page of new members leaves room for uploads.
actor DefaultPictures {
    /// Pictures kept, of some 5 KB each.
    static let capacity = 512

    /// The one that is the same for everybody, for when none can be made.
    let fallback: DeliveredPicture

    private let maker: any PictureMaker
    private let clock: WallClock
    private let made = BoundedCache<DefaultPicture, DeliveredPicture>(capacity: DefaultPictures.capacity)
    private var making: [DefaultPicture: Task<DeliveredPicture, any Error>] = [:]
    private var last: Task<DeliveredPicture, any Error>?

    /// - Throws: an error of the file system if the installation lacks the picture that is the same for everybody.
    init(maker: any PictureMaker, resources: Resources, clock: WallClock) throws {
        self.maker = maker
        self.clock = clock
        fallback = DeliveredPicture(
            bytes: ByteBuffer(bytes: try resources.data("public/default-picture.png")), mediaType: "image/png")
    }

    /// The picture, made if it was not yet.
    /// - Throws: as `PictureMaker.initials`.
    func picture(_ picture: DefaultPicture) async throws -> DeliveredPicture {
        if let known = made.value(for: picture, at: clock.now) { return known }
        if let task = making[picture] { return try await task.value }
        // Unstructured, because several requests wait for it, and the one that came first may go.
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
        // For good: the key says all that it is made from.
        made.store(
            delivered, for: picture, validity: .distantPast..<(.distantFuture),
            unlessRemovedSince: made.removals(for: picture))
        return delivered
    }
}
