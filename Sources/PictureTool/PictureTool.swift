import Glibc
import PictureToolInterface

/// Creates one picture and exits. The picture goes to standard output; the exit status is the result.
///
///     PictureTool make FILE MEBIBYTES SIDE...       for each side a square in WebP and one in JPEG, as PictureFrames
///     PictureTool initials LETTERS #rrggbb SIDE     white letters on a colour, as PNG
///
/// Decoders process untrusted input, so they run in a separate process without privileges. It prints nothing to
/// standard error, where libraries would quote files.
@main
struct PictureTool {
    static func main() {
        do throws(PictureVerdict) {
            try Confinement.limitResources()
            switch CommandLine.arguments.dropFirst().first {
            case "make": try make(CommandLine.arguments.dropFirst(2))
            case "initials": try initials(Array(CommandLine.arguments.dropFirst(2)))
            default: throw .misused
            }
            leave(.made)
        } catch {
            leave(error)
        }
    }

    /// Not `exit`, which runs the exit handlers of a hundred libraries: the kernel cleans up faster.
    private static func leave(_ verdict: PictureVerdict) -> Never { _exit(verdict.rawValue) }

    private static func make(_ arguments: ArraySlice<String>) throws(PictureVerdict) {
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        guard let path = arguments.first, numbers.count == arguments.count - 1, numbers.count > 1,
            numbers.allSatisfy({ 1...4_096 ~= $0 })
        else { throw .misused }
        let file = try PictureFile(path: path)
        let header = try PictureHeader(of: file)
        try header.checkLimits()
        let memory = numbers[0] << 20
        guard header.memory <= memory else { throw .needsMoreMemory }
        try Image.start()
        try Confinement.limitMemory(toFurther: memory)
        try Confinement.closeFileSystem()
        try Confinement.closeSystemCalls()
        try Square(of: file, header: header).write(sides: numbers.dropFirst())
    }

    private static func initials(_ arguments: [String]) throws(PictureVerdict) {
        guard arguments.count == 3, let color = Color(arguments[1]), let side = Int(arguments[2]), 16...1_024 ~= side
        else { throw .misused }
        try Image.start()
        // Fonts are read on demand, so the file system stays accessible.
        try Confinement.limitMemory(toFurther: Initials.memory)
        try Confinement.closeSystemCalls()
        try StandardOutput.write(Initials(arguments[0], on: color, side: side).png())
    }
}
