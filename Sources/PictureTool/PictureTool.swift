import Glibc
import PictureToolInterface

/// Makes one picture and ends. What comes out is on standard output, how it went is the exit status.
///
///     PictureTool make FILE MEBIBYTES SIDE...       for each side a square in WebP and one in JPEG, as PictureFrames
///     PictureTool initials LETTERS #rrggbb SIDE     white letters on a colour, as PNG
///
/// Decoders work on what strangers send, so they get a process to themselves, which can be taken away from them. It says
/// nothing on standard error: libraries quote files there.
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

    /// Not `exit`, which runs what a hundred libraries want to have run: the kernel clears up faster.
    private static func leave(_ verdict: PictureVerdict) -> Never {
        _exit(verdict.rawValue)
    }

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
        // Fonts are read as they are needed, so the file system stays open.
        try Confinement.limitMemory(toFurther: Initials.memory)
        try Confinement.closeSystemCalls()
        try StandardOutput.write(Initials(arguments[0], on: color, side: side).png())
    }
}
