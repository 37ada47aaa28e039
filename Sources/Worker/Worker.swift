import ArgumentParser

/// The worker's executable: does the jobs that API, schedule and operators put into the store.
@main
struct Worker {
    static func main() async {
        await WorkerCommand.main()
    }
}
