import ArgumentParser

/// The worker's executable: runs the jobs that the API, the schedule and operators put into the store.
@main
struct Worker {
    static func main() async {
        await WorkerCommand.main()
    }
}
