import Foundation
import Shared

/// A person's picture as links that an image view loads without a token.
struct PictureResponse: Encodable {
    /// Whether these are initials on a colour: the person uploaded nothing.
    let isDefault: Bool
    /// 96 pixels along each side.
    let small: Forms
    /// 512 pixels along each side.
    let large: Forms
    /// When the links end.
    let endsAt: Date

    /// A default picture has PNG alone, any other one the other two.
    struct Forms: Encodable {
        let webp: String?
        let jpeg: String?
        let png: String?
    }

    /// Of somebody, whatever they have.
    init(of user: User, links: PictureLinks) {
        if let picture = user.picture {
            self.init(picture, links: links)
        } else {
            self.init(initialsOf: user, links: links)
        }
    }

    /// Of a picture that was uploaded.
    init(_ picture: ProfilePicture, links: PictureLinks) {
        func forms(_ size: ProfilePicture.Size) -> Forms {
            Forms(
                webp: links.link(to: picture, size, .webp).url, jpeg: links.link(to: picture, size, .jpeg).url, png: nil
            )
        }
        isDefault = false
        // Before the others: at the full hour it is the one that ends first.
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
