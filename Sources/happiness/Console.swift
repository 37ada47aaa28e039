import Foundation
import Product

/// The terminal.
enum Console {
    /// Writes text to standard output. It may come from the server: control characters could move the cursor and show a
    /// key that the server wants to be seen. If it cannot be written, the command fails at its end.
    static func print(_ text: String) { ProgramOutput.print(harmless(text)) }

    /// Writes a line to standard error.
    static func error(_ line: String) {
        ProgramOutput.report(Data("happiness: \(harmless(line))\n".utf8))
    }

    private static func harmless(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            let category = scalar.properties.generalCategory
            return [.control, .format].contains(category) && scalar != "\n" ? "\u{fffd}" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The whole of standard input, without the line end after it.
    /// - Throws: an error of the system if it cannot be read.
    static func input() throws -> String {
        var text = String(decoding: try FileHandle.standardInput.readToEnd() ?? Data(), as: UTF8.self)
        if text.hasSuffix("\n") { text.removeLast() }
        return text
    }

    /// Reads a password: without echo from a terminal, else the first line of the input. Never from arguments, which
    /// every user of the machine can read. The server's commands do the same, but share no code with this one.
    static func password() -> String {
        guard isatty(STDIN_FILENO) == 1 else { return readLine() ?? "" }
        ProgramOutput.report(Data("Password: ".utf8))
        var shown = termios()
        let isKnown = tcgetattr(STDIN_FILENO, &shown) == 0
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) }
        defer {
            if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
            ProgramOutput.report(Data("\n".utf8))
        }
        return readLine() ?? ""
    }
}
