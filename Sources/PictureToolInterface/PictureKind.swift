/// A picture's file format, detected by its first bytes. File name and declared media type are ignored.
package enum PictureKind: Sendable {
    /// A JPEG in any container.
    case jpeg
    /// A PNG.
    case png
    /// A WebP.
    case webp

    /// Number of bytes needed: an SVG may begin with a declaration and comments.
    package static let decisiveLength = 512

    /// - Parameter start: the first `decisiveLength` bytes, or all of a shorter file.
    /// - Throws: the verdict for any other format.
    package init(of start: [UInt8]) throws(PictureVerdict) {
        guard !start.isEmpty else { throw .empty }
        if start.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if start.starts(with: Self.pngSignature) {
            self = .png
        } else if start.starts(with: "RIFF".utf8), start.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            throw Self.rejection(start)
        }
    }

    /// PNG specification, third edition, section 5.2.
    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    /// Longest first, since one may be a prefix of another.
    private static let refusals: [(start: [UInt8], verdict: PictureVerdict)] = [
        (Array("GIF8".utf8), .gif),
        (Array("%PDF-".utf8), .pdf),
        (Array("II*\0".utf8), .tiff),
        (Array("MM\0*".utf8), .tiff),
        (Array("BM".utf8), .otherKind),
        ([0, 0, 1, 0], .otherKind),
        (Array("8BPS".utf8), .otherKind),
        ([0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20], .otherKind),
        ([0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20], .otherKind),
        ([0xff, 0x0a], .otherKind),
    ]

    private static func rejection(_ start: [UInt8]) -> PictureVerdict {
        // ISO/IEC 14496-12: an `ftyp` box with the major brand; for those of HEIF see ISO/IEC 23008-12, annex B.
        if start.dropFirst(4).starts(with: "ftyp".utf8) {
            switch String(decoding: start.dropFirst(8).prefix(4), as: UTF8.self) {
            case "avif", "avis": return .avif
            case "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1": return .heic
            default: return .notAPicture
            }
        }
        if let known = refusals.first(where: { start.starts(with: $0.start) }) { return known.verdict }
        return isDrawing(start) ? .svg : .notAPicture
    }

    /// The element may follow a declaration, comments and a byte order mark.
    private static func isDrawing(_ start: [UInt8]) -> Bool {
        String(decoding: start, as: UTF8.self).contains("<svg")
    }
}
