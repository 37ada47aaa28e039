import ArgumentParser

/// The server's executable: serves by default, and contains the operator's commands.
@main
struct HappinessAPI {
    static func main() async {
        await HappinessCommand.main()
    }
}
