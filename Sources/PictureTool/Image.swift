import CVips
import PictureToolInterface

/// A libvips image: pixels, or how to compute them.
///
/// libvips keeps the inputs of an image as long as it needs them. Its errors become `.damaged` or `.needsMoreMemory`;
/// its messages may quote the file, so they are not passed on.
@safe struct Image: ~Copyable {
    /// Valid for the lifetime of this value.
    let pointer: UnsafeMutablePointer<VipsImage>

    /// Initializes libvips; call before anything else here.
    static func start() throws(PictureVerdict) {
        guard cvips_start() == 0 else { throw .systemFault }
    }

    /// Throws if a step failed silently: without memory, `vips_smartcrop` continues and crops somewhere.
    static func checkNothingFailed() throws(PictureVerdict) {
        guard unsafe vips_error_buffer().pointee == 0 else { throw verdict() }
    }

    /// libvips has error messages but no codes.
    private static func verdict() -> PictureVerdict {
        let words = unsafe String(cString: vips_error_buffer())
        return words.contains("out of memory") ? .needsMoreMemory : .damaged
    }

    /// Takes ownership of the image that a call creates.
    init(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32) throws(PictureVerdict) {
        var made: UnsafeMutablePointer<VipsImage>?
        guard unsafe call(&made) == 0, let made = unsafe made else { throw Self.verdict() }
        unsafe pointer = made
    }

    deinit {
        unsafe g_object_unref(pointer)
    }

    /// In pixels.
    var width: Int { unsafe Int(vips_image_get_width(pointer)) }
    /// In pixels.
    var height: Int { unsafe Int(vips_image_get_height(pointer)) }
    /// The shorter side in pixels.
    var shortSide: Int { min(width, height) }

    /// Another image computed from this one.
    func then(
        _ call: (UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
    ) throws(PictureVerdict) -> Image {
        try unsafe Image { unsafe call(pointer, $0) }
    }

    /// Computes all pixels now, so that they can be used more than once and the inputs can be released.
    func computed() throws(PictureVerdict) -> Image {
        try unsafe Image { result in
            unsafe result.pointee = vips_image_copy_memory(pointer)
            return unsafe result.pointee == nil ? -1 : 0
        }
    }

    /// The output of an encoder.
    func encoded(
        _ call: (
            UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutablePointer<Int>
        ) -> Int32
    ) throws(PictureVerdict) -> [UInt8] {
        var start: UnsafeMutableRawPointer?
        var count = 0
        guard unsafe call(pointer, &start, &count) == 0, let start = unsafe start else { throw Self.verdict() }
        defer { unsafe g_free(start) }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
