import Domain
import PictureToolInterface

extension AppError {
    /// Creating the picture timed out.
    static let pictureTakesTooLong = AppError(
        .unprocessable, "This picture takes too long to open. Please save it again, or choose a smaller one.",
        reason: .pictureUnreadable)

    /// The message to the user who uploaded the picture.
    init(refusing verdict: PictureVerdict) {
        switch verdict {
        case .made, .misused, .noFile, .systemFault: self = .picturesUnavailable
        case .damaged:
            self.init(
                .unprocessable, "This picture can’t be read. It seems to be damaged or incomplete.",
                reason: .pictureUnreadable)
        case .needsMoreMemory:
            self.init(
                .tooLarge,
                "This picture takes too much memory to open. Please make it smaller, or save it without the options"
                    + " progressive and interlaced.", reason: .pictureTooLarge)
        case .empty: self.init(.unprocessable, "The file is empty.", reason: .pictureUnreadable)
        case .notAPicture: self = .unsupported(Sentence("This isn’t a picture."))
        case .gif: self = .unsupported(Sentence("This picture is a GIF."))
        case .svg: self = .unsupported(Sentence("This is a drawing in SVG."))
        case .heic:
            self = .unsupported(
                Sentence(
                    "This picture is a HEIC, as iPhones store them. In Settings, Camera, Formats, “Most Compatible” "
                        + "makes them JPEGs."))
        case .avif: self = .unsupported(Sentence("This picture is an AVIF."))
        case .tiff: self = .unsupported(Sentence("This picture is a TIFF or a camera’s raw file."))
        case .pdf: self = .unsupported(Sentence("This is a PDF."))
        case .otherKind: self = .unsupported(Sentence("This picture is of a kind that browsers don’t show."))
        case .animated:
            self.init(
                .unsupportedMediaType, "Animated pictures don’t work here. Please choose a still one.",
                reason: .pictureAnimated)
        case .tooManyPixels:
            self.init(
                .tooLarge,
                "This picture is too large: a JPEG may have \(PictureLimits.jpegPixels / 1_000_000) megapixels, a PNG or"
                    + " WebP \(PictureLimits.otherPixels / 1_000_000).", reason: .pictureTooLarge)
        case .tooLong:
            self.init(
                .tooLarge, "This picture is too large: no side may be longer than \(PictureLimits.longestSide) pixels.",
                reason: .pictureTooLarge)
        case .tooSmall:
            self.init(
                .unprocessable,
                "This picture is too small: each side must have at least \(PictureLimits.shortestSide) pixels.",
                reason: .pictureTooSmall)
        }
    }

    private static func unsupported(_ found: Sentence) -> AppError {
        AppError(
            .unsupportedMediaType, "\(part: found) Please choose a JPEG, PNG or WebP.", reason: .pictureType)
    }
}
