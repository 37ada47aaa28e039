package import Foundation

/// A user's picture: four objects under an unguessable name.
///
/// A new upload is a new picture with a new name. Stored objects therefore never change, and may be cached for as long
/// as their link is valid.
package struct ProfilePicture: Hashable, Sendable, Codable {
    /// Identifies a picture by 128 random bits; also the middle part of its objects' keys.
    package typealias ID = Identifier<ProfilePicture>

    /// The size of a picture in pixels along each side.
    package enum Size: Int, Sendable, CaseIterable {
        /// For a list.
        case small = 96
        /// For a page.
        case large = 512
    }

    /// The encoding of a picture.
    package enum Format: String, Sendable, CaseIterable {
        /// For browsers.
        case webp
        /// Also for the first clients, which do not support newer formats.
        case jpeg = "jpg"

        /// Like `image/webp`.
        package var mediaType: String {
            switch self {
            case .webp: "image/webp"
            case .jpeg: "image/jpeg"
            }
        }
    }

    /// New for every upload.
    package let id: ID
    /// The time of the upload.
    package let uploadedAt: Date

    /// By default with a new random id.
    package init(id: ID = .random(), uploadedAt: Date) {
        self.id = id
        self.uploadedAt = uploadedAt
    }

    /// The prefix of every key of a picture.
    package static let keyPrefix = "pictures/"

    /// The key of one form.
    package func key(_ size: Size, _ format: Format) -> ObjectKey {
        ObjectKey(unchecked: "\(Self.keyPrefix)\(id)/\(size.rawValue).\(format.rawValue)")
    }

    /// The keys of all forms.
    package var keys: [ObjectKey] {
        Size.allCases.flatMap { size in Format.allCases.map { key(size, $0) } }
    }

    /// The picture that a key belongs to; `nil` if it belongs to none.
    package static func id(of key: ObjectKey) -> ID? {
        let parts = key.text.split(separator: "/")
        guard parts.count == 3, key.text.hasPrefix(keyPrefix) else { return nil }
        return ID(String(parts[1]))
    }
}
