public import Foundation

/// A person's picture: four objects under a name that nobody can guess.
///
/// A new upload is a new picture with a new name, so that what is stored never changes and may be cached for as long as
/// its link counts.
public struct ProfilePicture: Hashable, Sendable, Codable {
    /// A picture's identity, 128 random bits; also the middle part of its objects' keys.
    public typealias ID = Identifier<ProfilePicture>

    /// How large a picture is, in pixels along each side.
    public enum Size: Int, Sendable, CaseIterable {
        /// For a list.
        case small = 96
        /// For a page.
        case large = 512
    }

    /// What a picture is encoded as.
    public enum Format: String, Sendable, CaseIterable {
        /// For browsers.
        case webp
        /// For the first clients, too, which draw nothing newer.
        case jpeg = "jpg"

        /// Like `image/webp`.
        public var mediaType: String {
            switch self {
            case .webp: "image/webp"
            case .jpeg: "image/jpeg"
            }
        }
    }

    /// The picture's identity.
    public let id: ID
    /// When it was uploaded.
    public let uploadedAt: Date

    /// A picture from its parts.
    public init(id: ID = .random(), uploadedAt: Date) {
        self.id = id
        self.uploadedAt = uploadedAt
    }

    /// What every key of a picture begins with.
    public static let keyPrefix = "pictures/"

    /// Where one form of it is kept.
    public func key(_ size: Size, _ format: Format) -> ObjectKey {
        ObjectKey(unchecked: "\(Self.keyPrefix)\(id)/\(size.rawValue).\(format.rawValue)")
    }

    /// Where all of it is kept.
    public var keys: [ObjectKey] {
        Size.allCases.flatMap { size in Format.allCases.map { key(size, $0) } }
    }
}
