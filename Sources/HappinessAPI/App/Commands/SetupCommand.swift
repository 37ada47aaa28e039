import ArgumentParser
import Domain
import Services

/// `HappinessAPI setup`
struct SetupCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Print a new link for the first admin.",
        discussion: """
            The server prints such a link when it starts without an admin. This command replaces that link, for \
            example if it has expired. The admin chooses their own password behind it.
            """)

    /// It may be the first command of an installation.
    var createsStore: Bool { true }

    func run(in context: CommandContext) async throws {
        guard let link = try await context.setup.makeLink(publicURL: context.publicURL) else {
            throw AppError(
                .conflict, "There’s already an admin. To add another one: HappinessAPI user set-role NAME admin")
        }
        context.output("Open this link within 24 hours. It works once, and replaces all earlier ones:")
        context.output("  \(link)")
    }
}
