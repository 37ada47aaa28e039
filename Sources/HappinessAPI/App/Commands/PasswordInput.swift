import Domain
import Foundation
import Product

/// Reads a command's password. Never from arguments: every user of the machine can read those.
struct PasswordInput: Sendable {
    /// Whether standard input is a terminal, so that prompts make sense.
    let isTerminal: Bool
    /// Reads one line without its line end and without echo; `nil` at the end of the input.
    let readLine: @Sendable (_ prompt: String) -> String?

    /// Standard input. Prompts go to standard error, to keep the output clean in a pipe.
    static let standard = PasswordInput(isTerminal: isatty(STDIN_FILENO) == 1) { prompt in
        isatty(STDIN_FILENO) == 1 ? lineWithoutEcho(prompt) : Swift.readLine()
    }

    /// Reads the password: twice from a terminal, else the first line of the input.
    /// - Returns: `nil` if the input is empty.
    /// - Throws: `AppError.unprocessable` if the two differ.
    func password() throws(AppError) -> String? {
        guard let first = readLine("Password: "), !first.isEmpty else { return nil }
        guard isTerminal else { return first }
        guard readLine("Again: ") == first else {
            throw AppError(.unprocessable, "The two passwords do not match.")
        }
        return first
    }

    private static func lineWithoutEcho(_ prompt: String) -> String? {
        ProgramOutput.report(Data(prompt.utf8))
        var shown = termios()
        let isKnown = tcgetattr(STDIN_FILENO, &shown) == 0
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) }
        defer {
            if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
            ProgramOutput.report(Data("\n".utf8))
        }
        return Swift.readLine()
    }
}
