/// Makes pictures of ours from what people upload, away from this process.
public protocol PictureMaker: Sendable {
    /// Decodes the file, turns it upright, cuts a square from it, and encodes all forms of a profile picture anew; nothing
    /// else of the file is in them.
    ///
    /// Two are made at once at most; a few wait, and further ones are refused. Ends by its own deadline, and soon after its
    /// task is cancelled.
    /// - Parameter path: of a file that whoever calls removes.
    /// - Throws: `AppError`: `.unsupportedMediaType`, `.tooLarge` or `.refused` for what is no picture or too large a one, in
    ///   words for whoever uploaded it; `.unavailable` if too many wait or the tool is missing. `CancellationError`.
    func make(from path: String) async throws -> MadePicture

    /// A default picture: one or two letters on a colour, as PNG.
    /// - Parameters:
    ///   - letters: shown in the middle.
    ///   - color: of the ground, as `#rrggbb`; the letters are white.
    ///   - side: in pixels.
    /// - Throws: as `make(from:)`.
    func initials(_ letters: String, on color: String, side: Int) async throws -> [UInt8]
}

/// All forms of a picture.
public struct MadePicture: Sendable {
    /// The encoded bytes of one form.
    public let forms: [Form: [UInt8]]

    /// One size in one format.
    public struct Form: Hashable, Sendable {
        /// How large.
        public let size: ProfilePicture.Size
        /// How encoded.
        public let format: ProfilePicture.Format

        /// A form from its parts.
        public init(_ size: ProfilePicture.Size, _ format: ProfilePicture.Format) {
            self.size = size
            self.format = format
        }
    }

    /// A picture from its forms: one for every size and format.
    public init(forms: [Form: [UInt8]]) {
        self.forms = forms
    }
}
