import ArgumentParser
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
        let name = FilePath(CommandLine.arguments.first ?? "").lastComponent?.string
        if name?.lowercased() == "worker" {
            await WorkerCommand.main()
        } else {
            await HappinessCommand.main()
        }
    }
}
