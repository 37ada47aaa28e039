import ArgumentParser
import HappinessClient
import Product

/// The command `happiness`: votes and reads results with a program that does not come from the server.
@main
struct HappinessTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "happiness", abstract: "Vote in your team's sprint, and see how its happiness moves.",
        discussion: """
            Votes are sealed: the server signs your ballot paper without seeing it, and gets your vote without your \
            log-in. Start with: happiness log-in https://happiness.example.org
            """,
        version: ProductVersion.current,
        subcommands: [
            LoginCommand.self, SprintCommand.self, PaperCommand.self, VoteCommand.self, HistoryCommand.self,
            KeyCommand.self, VerifyCommand.self, VerifySiteCommand.self, MyDataCommand.self, LogOutCommand.self,
        ])

    static func main() async {
        ProgramOutput.prepare()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            try ProgramOutput.requireWritten()
        } catch let error as ClientError {
            Console.error("\(error)")
            exit(withError: error.exitCode)
        } catch let error as OutputError {
            Console.error("\(error)")
            // EX_IOERR of `sysexits.h`.
            exit(withError: ExitCode(74))
        } catch let rejection as Rejection {
            Console.error(rejection.sentence)
            exit(withError: ExitCode.failure)
        } catch {
            exit(withError: error)
        }
    }
}

/// Why a command does nothing, in a sentence.
struct Rejection: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}

extension ClientError {
    /// Whether the server would reject the same again.
    var isRejection: Bool {
        if case .rejected = self { true } else { false }
    }

    /// As in `sysexits.h`: programs that call this one can tell what to try again.
    var exitCode: ExitCode {
        switch self {
        case .unreachable, .cancelled: ExitCode(75)
        case .loggedOut: ExitCode(77)
        case .rejected, .notUnderstood, .keyDiffers: .failure
        }
    }
}
