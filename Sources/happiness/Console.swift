import Foundation

/// The terminal.
enum Console {
    /// Writes a line to standard error.
    static func error(_ line: String) {
        FileHandle.standardError.write(Data("happiness: \(line)\n".utf8))
    }

    /// Reads a password: without echo from a terminal, else the first line of the input. Never from arguments, which
    /// every user of the machine can read.
    static func password() -> String {
        guard isatty(STDIN_FILENO) == 1 else { return readLine() ?? "" }
        FileHandle.standardError.write(Data("Password: ".utf8))
        var shown = termios()
        let isKnown = tcgetattr(STDIN_FILENO, &shown) == 0
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) }
        defer {
            if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
            FileHandle.standardError.write(Data("\n".utf8))
        }
        return readLine() ?? ""
    }
}
