package import Domain

/// Creates our pictures from uploaded files, outside this process.
package protocol PictureMaker: Sendable {
    /// Decodes the file, rotates it upright, crops it to a square, and encodes all forms of a profile picture; nothing
    /// else of the file is kept.
    ///
    /// At most two run concurrently; a few wait, and further ones are rejected. Ends by its own deadline, or soon after
    /// its task is cancelled.
    /// - Parameter path: of a file that the caller removes.
    /// - Throws: `AppError`: `.unsupportedMediaType`, `.tooLarge` or `unprocessable` if the file is not a picture or too
    ///   large, in words for the user; `.unavailable` if too many wait or the tool is missing. `CancellationError`.
    func make(from path: String) async throws -> MadePicture

    /// A default picture: one or two letters on a colour, as PNG.
    /// - Parameters:
    ///   - letters: shown in the middle.
    ///   - color: the background as `#rrggbb`; the letters are white.
    ///   - side: in pixels.
    /// - Throws: as `make(from:)`.
    func initials(_ letters: String, on color: String, side: Int) async throws -> [UInt8]
}

/// All forms of a picture.
package struct MadePicture: Sendable {
    /// The encoded bytes of one form.
    package let forms: [Form: [UInt8]]

    /// One size in one format.
    package struct Form: Hashable, Sendable {
        /// Side length of the picture.
        package let size: ProfilePicture.Size
        /// Encoding of the picture.
        package let format: ProfilePicture.Format

        /// Combines a size with a format.
        package init(_ size: ProfilePicture.Size, _ format: ProfilePicture.Format) {
            self.size = size
            self.format = format
        }
    }

    /// Expects one form for every size and format.
    package init(forms: [Form: [UInt8]]) {
        self.forms = forms
    }
}
