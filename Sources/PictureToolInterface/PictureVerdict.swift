/// How `PictureTool` ends: its exit statuses, all of them. Any other end is a fault of a decoder.
///
/// Those below 80 follow sysexits.h where it has a word for it.
public enum PictureVerdict: Int32, Error, Sendable, CaseIterable {
    /// The pictures are on standard output, as `PictureFrames` says.
    case made = 0
    /// Called with arguments it does not know.
    case misused = 64
    /// The picture begins like one and is damaged, cut off, or of a variety that nobody's camera makes.
    case damaged = 65
    /// The file cannot be opened.
    case noFile = 66
    /// A limit could not be set, or nobody reads the output.
    case systemFault = 71
    /// Needs more memory than it was given, by its header: nothing was decoded yet.
    case needsMoreMemory = 75

    /// None of the kinds below, or text, or random bytes.
    case notAPicture = 80
    /// No bytes at all.
    case empty = 81
    /// A GIF, still or not.
    case gif = 82
    /// A drawing in SVG.
    case svg = 83
    /// A HEIF picture with HEVC inside, as iPhones make them.
    case heic = 84
    /// A HEIF picture with AV1 inside.
    case avif = 85
    /// A TIFF, or a camera's raw file, most of which are TIFFs.
    case tiff = 86
    /// A PDF.
    case pdf = 87
    /// A picture of another kind: BMP, icon, Photoshop, JPEG 2000, JPEG XL.
    case otherKind = 88
    /// A WebP or PNG of several frames.
    case animated = 89
    /// More pixels than its kind may have.
    case tooManyPixels = 90
    /// One side is too long.
    case tooLong = 91
    /// One side is too short to tell anything.
    case tooSmall = 92
}

/// What `PictureTool` takes and what it does not, for messages and tests.
public enum PictureLimits {
    /// Pixels. A JPEG is made smaller as it is decoded, so that a large one costs time, but hardly memory.
    public static let jpegPixels = 100_000_000
    /// Pixels of a PNG or WebP, all of which are decoded.
    public static let otherPixels = 25_000_000
    /// Pixels along one side. Some decoders end at 32,767 or 65,535.
    public static let longestSide = 30_000
    /// Pixels along one side.
    public static let shortestSide = 16
}
