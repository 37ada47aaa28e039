import ArgumentParser
import Domain
import Services

/// `HappinessAPI user picture …`: manages users' pictures.
struct UserPictureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "picture", abstract: "Remove a user's picture.", subcommands: [UserPictureRemoveCommand.self])
}

/// `user picture remove NAME`
struct UserPictureRemoveCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a user's picture.",
        discussion: """
            The user is shown with their initials at once. The worker then removes the picture itself; until it has, links \
            that were given out before still load it.
            """)

    @Argument(help: "User name or e-mail address.")
    var name: String

    func run(in context: CommandContext) async throws {
        let user = try await context.users.find(login: name, by: .operator)
        let hadPicture = try await context.pictureRemovals.remove(of: user.id, by: .operator)
        context.output(hadPicture ? "The picture of \(user.name) was removed." : "\(user.name) has no picture.")
    }
}
