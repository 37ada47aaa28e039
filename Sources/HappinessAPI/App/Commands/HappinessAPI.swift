import ArgumentParser
import Foundation
import Product
import Services
import SystemPackage
import Worker

/// The server's executable: serves by default, and contains the operator's commands.
///
/// Started through a link called `Worker` or `worker`, it is the worker. So packages contain one program for both, and
/// the system keeps one copy of it in memory (docs/decisions/0039-one-program-for-api-and-worker.md).
@main
struct HappinessAPI {
    static func main() async {
        ProgramOutput.prepare()
        TextCatalog.installLanguages()
        let name = FilePath(CommandLine.arguments.first ?? "").lastComponent?.string
        if name?.lowercased() == "worker" {
            await WorkerCommand.main()
        } else if CommandLine.arguments.dropFirst().first == "caller-files" {
            // Not a command: the other arguments are those of one.
            let list = CallerFile.list(Array(CommandLine.arguments.dropFirst(2)))
            do {
                try ProgramOutput.printBytes(Data(list.utf8))
            } catch {
                // Without its files, the command would fail for another reason.
                ProgramOutput.report(Data("Error: \(error)\n".utf8))
                exit(EXIT_FAILURE)
            }
        } else {
            await HappinessCommand.main()
        }
    }
}
