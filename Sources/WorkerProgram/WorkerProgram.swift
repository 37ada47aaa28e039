import ArgumentParser
import Product
import Worker

/// The worker as a program of its own, for running from a checkout. Packages have a link to HappinessAPI instead.
@main
struct WorkerProgram {
    static func main() async {
        ProgramOutput.prepare()
        await WorkerCommand.main()
    }
}
