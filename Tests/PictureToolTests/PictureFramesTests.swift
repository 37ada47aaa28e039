import PictureToolInterface
import Testing

/// Pictures on a pipe.
@Suite struct PictureFramesTests {
    @Test func `Pictures are taken apart as they were put together`() {
        let pictures: [[UInt8]] = [[1], Array(repeating: 7, count: 70_000), [2, 3]]
        let bytes = pictures.flatMap { PictureFrames.header(count: $0.count) + $0 }
        #expect(PictureFrames.split(bytes) == pictures)
    }

    @Test(arguments: [[0], [0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 2, 1], [255, 255, 255, 255, 1]])
    func `Anything else is no picture`(bytes: [UInt8]) {
        #expect(PictureFrames.split(bytes) == nil)
    }
}
