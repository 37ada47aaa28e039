/// All exit statuses of `PictureTool`. Any other exit means that a decoder crashed.
///
/// Those below 80 follow sysexits.h if it has a matching one.
package enum PictureVerdict: Int32, Error, Sendable, CaseIterable {
    /// The pictures are on standard output, in the format of `PictureFrames`.
    case made = 0
    /// Called with unknown arguments.
    case misused = 64
    /// Starts like a picture but is damaged, truncated, or of a variety that no camera produces.
    case damaged = 65
    /// The file cannot be opened.
    case noFile = 66
    /// A limit could not be set, or the output could not be written.
    case systemFault = 71
    /// Needs more memory than allowed, according to its header: nothing was decoded yet.
    case needsMoreMemory = 75

    /// None of the kinds below: text or random bytes.
    case notAPicture = 80
    /// The file has no bytes.
    case empty = 81
    /// A GIF, animated or not.
    case gif = 82
    /// An SVG drawing.
    case svg = 83
    /// A HEIF picture with HEVC, as iPhones produce.
    case heic = 84
    /// A HEIF picture with AV1.
    case avif = 85
    /// A TIFF, or a camera's raw file, most of which are TIFFs.
    case tiff = 86
    /// A PDF.
    case pdf = 87
    /// A picture of another kind: BMP, icon, Photoshop, JPEG 2000, JPEG XL.
    case otherKind = 88
    /// A WebP or PNG with several frames.
    case animated = 89
    /// More pixels than `PictureLimits` allows for its format.
    case tooManyPixels = 90
    /// One side is longer than `PictureLimits.longestSide`.
    case tooLong = 91
    /// One side is shorter than `PictureLimits.shortestSide`.
    case tooSmall = 92
}

/// The limits of `PictureTool`, for messages and tests.
package enum PictureLimits {
    /// Pixels. A JPEG is reduced while it is decoded, so a large one costs time but hardly any memory.
    package static let jpegPixels = 100_000_000
    /// Pixels of a PNG or WebP, which is decoded completely.
    package static let otherPixels = 25_000_000
    /// Pixels along one side. Some decoders are limited to 32,767 or 65,535.
    package static let longestSide = 30_000
    /// Pixels along one side.
    package static let shortestSide = 16
}
