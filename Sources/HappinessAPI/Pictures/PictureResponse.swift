import Domain
import Foundation
import Services

/// A person's picture as links that an image view loads without a token.
struct PictureResponse: Encodable {
    /// Whether these are initials on a colour because the person has uploaded no picture.
    let isDefault: Bool
    /// 96 pixels along each side.
    let small: Forms
    /// 512 pixels along each side.
    let large: Forms
    /// When the links expire.
    let endsAt: Date

    /// A default picture has PNG only; an uploaded one has the other two formats.
    struct Forms: Encodable {
        let webp: String?
        let jpeg: String?
        let png: String?
    }

    /// A user's uploaded or default picture.
    init(of user: User, links: PictureLinks) {
        if let picture = user.picture {
            self.init(picture, links: links)
        } else {
            self.init(initialsOf: user, links: links)
        }
    }

    /// An uploaded picture.
    init(_ picture: ProfilePicture, links: PictureLinks) {
        func forms(_ size: ProfilePicture.Size) -> Forms {
            Forms(
                webp: links.link(to: picture, size, .webp).url, jpeg: links.link(to: picture, size, .jpeg).url, png: nil
            )
        }
        isDefault = false
        // Created before the other links, so that at a full hour this one expires first.
        endsAt = links.link(to: picture, .small, .webp).ends
        small = forms(.small)
        large = forms(.large)
    }

    private init(initialsOf user: User, links: PictureLinks) {
        func link(_ size: ProfilePicture.Size) -> PictureLinks.Link {
            links.link(to: DefaultPicture(of: user, size: size))
        }
        isDefault = true
        endsAt = link(.small).ends
        small = Forms(webp: nil, jpeg: nil, png: link(.small).url)
        large = Forms(webp: nil, jpeg: nil, png: link(.large).url)
    }
}
