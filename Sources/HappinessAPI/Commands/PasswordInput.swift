import Foundation
import Shared

/// Where a command gets a password from: never from its arguments, which every user of the machine can read.
struct PasswordInput: Sendable {
    /// Whether somebody sits there and can be asked.
    let isTerminal: Bool
    /// One line without its end, not shown while it is typed; `nil` at the end of the input.
    let readLine: @Sendable (_ prompt: String) -> String?

    /// Standard input. Prompts go to standard error, so that the output stays clean in a pipe.
    static let standard = PasswordInput(isTerminal: isatty(STDIN_FILENO) == 1) { prompt in
        isatty(STDIN_FILENO) == 1 ? lineWithoutEcho(prompt) : Swift.readLine()
    }

    /// A password as given: twice and equal at a terminal, else the first line.
    /// - Returns: `nil` if nothing was given.
    /// - Throws: `AppError.refused` if the two differ.
    func password() throws(AppError) -> String? {
        guard let first = readLine("Password: "), !first.isEmpty else { return nil }
        guard isTerminal else { return first }
        guard readLine("Again: ") == first else {
            throw AppError(.refused, "The two passwords differ.")
        }
        return first
    }

    private static func lineWithoutEcho(_ prompt: String) -> String? {
        FileHandle.standardError.write(Data(prompt.utf8))
        var shown = termios()
        let isKnown = tcgetattr(STDIN_FILENO, &shown) == 0
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) }
        defer {
            if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
            FileHandle.standardError.write(Data("\n".utf8))
        }
        return Swift.readLine()
    }
}
