import CVips
import PictureToolInterface

/// A picture of libvips: pixels, or how to get them.
///
/// libvips keeps what a picture is made from for as long as it needs it. What it refuses is `.damaged`, or
/// `.needsMoreMemory`; its words may quote the file, so nobody gets to read them.
@safe struct Image: ~Copyable {
    /// What C knows it by, for as long as the value lives.
    let pointer: UnsafeMutablePointer<VipsImage>

    /// Starts libvips, before anything else here.
    static func start() throws(PictureVerdict) {
        guard cvips_start() == 0 else { throw .systemFault }
    }

    /// Whether a step failed that did not say so: `vips_smartcrop` goes on without memory, and cuts somewhere.
    static func checkNothingFailed() throws(PictureVerdict) {
        guard unsafe vips_error_buffer().pointee == 0 else { throw verdict() }
    }

    /// libvips has words for what went wrong, and no codes.
    private static func verdict() -> PictureVerdict {
        let words = unsafe String(cString: vips_error_buffer())
        return words.contains("out of memory") ? .needsMoreMemory : .damaged
    }

    /// Takes over what a call makes.
    init(
        _ call: (UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
    ) throws(PictureVerdict) {
        var made: UnsafeMutablePointer<VipsImage>?
        guard unsafe call(&made) == 0, let made = unsafe made else { throw Self.verdict() }
        unsafe pointer = made
    }

    deinit {
        unsafe g_object_unref(pointer)
    }

    /// Pixels.
    var width: Int { unsafe Int(vips_image_get_width(pointer)) }
    /// Pixels.
    var height: Int { unsafe Int(vips_image_get_height(pointer)) }
    /// The shorter side.
    var shortSide: Int { min(width, height) }

    /// A further picture made from this one.
    func then(
        _ call: (UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
    ) throws(PictureVerdict) -> Image {
        try unsafe Image { unsafe call(pointer, $0) }
    }

    /// Computes all pixels now, so that they can be used more than once and what they were made from can go.
    func computed() throws(PictureVerdict) -> Image {
        try unsafe Image { result in
            unsafe result.pointee = vips_image_copy_memory(pointer)
            return unsafe result.pointee == nil ? -1 : 0
        }
    }

    /// The bytes of an encoder.
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
