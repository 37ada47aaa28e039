import ArgumentParser
import Domain
import Product
import Services

/// `HappinessAPI user …`: manages accounts.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Add and change accounts.",
        subcommands: [
            UserAddCommand.self, UserListCommand.self, UserSetPasswordCommand.self, UserSetEmailCommand.self,
            UserSetRoleCommand.self, UserDisableCommand.self, UserEnableCommand.self, UserMailAgainCommand.self,
            UserUnlinkCommand.self, UserInviteCommand.self,
            UserPictureCommand.self,
        ])

    /// What happens to a password that the operator hands out.
    static let handedOutNotice = "When they log in with a browser, they’re asked to choose their own password."
}

extension User.Role: ExpressibleByArgument {}

/// `user add NAME EMAIL`
struct UserAddCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a user.",
        discussion: """
            The password is read from standard input: asked for twice at a terminal, else the first line. If none is \
            given, one is generated and printed. Either way, the user is asked to choose their own when they log in \
            with a browser.
            """)

    @Argument(help: "User name, without an @.")
    var name: String
    @Argument(help: "E-mail address.")
    var email: String
    @OptionGroup
    var place: MembershipOptions
    @Option(help: "Language of e-mails until they choose one or log in with a browser, such as de.")
    var locale: MailLocale?
    @Flag(help: "Generate a password and print it instead of reading one.")
    var generate = false

    /// It may be the first command of an installation.
    var createsStore: Bool { true }

    func run(in context: CommandContext) async throws {
        let team = try await place.team(in: context)
        let new = UserService.NewUser(
            name: try UserName(name), email: try EmailAddress(email), role: place.role,
            membership: team.map { ($0.id, place.teamRole) },
            language: locale.map(AccountLanguage.seen) ?? .unknown)
        try await context.users.validate(new, by: .operator)
        let given = generate ? nil : try context.input.password()
        let password = given ?? PasswordGenerator.password(for: context.passwordPolicy)
        let user = try await context.users.add(new, password: password, by: .operator)
        context.output("Added \(user.name) <\(user.email)>\(place.report(team)).")
        context.output(UserCommand.handedOutNotice)
        if given == nil { context.output("Password: \(password)") }
    }
}

/// `user list`
struct UserListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all users.")

    func run(in context: CommandContext) async throws {
        var page = try await context.users.list(by: .operator)
        if page.isEmpty {
            context.output(
                ProgramCall.current.pasteable("There are no users yet. Add one: HappinessAPI user add NAME EMAIL"))
        }
        while let last = page.last {
            for user in page {
                let state = user.isDisabled ? ", disabled" : ""
                let mails = user.addressFault == nil ? "" : ", e-mails come back"
                context.output("\(user.name) <\(user.email)>, \(user.role.rawValue)\(state)\(mails)")
            }
            page = try await context.users.list(after: last.name, by: .operator)
        }
    }
}

/// `user set-password NAME`
struct UserSetPasswordCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-password", abstract: "Set a user's password and log them out.",
        discussion: """
            The password is read from standard input: asked for twice at a terminal, else the first line. The user is \
            asked to choose their own when they log in with a browser.
            """)

    @Argument(help: "User name or e-mail address.")
    var name: String
    @Flag(help: "Generate a password and print it instead of reading one.")
    var generate = false

    func run(in context: CommandContext) async throws {
        let user = try await context.users.find(login: name, by: .operator)
        let given = generate ? nil : try context.input.password()
        guard generate || given != nil else {
            throw AppError(.unprocessable, "No password was given. Type one, pipe one in, or use --generate.")
        }
        let password = given ?? PasswordGenerator.password(for: context.passwordPolicy)
        try await context.users.setPassword(password, of: user.id, by: .operator)
        context.output("\(user.name) (\(user.email)) has a new password and was logged out everywhere.")
        context.output(UserCommand.handedOutNotice)
        if given == nil { context.output("Password: \(password)") }
    }
}

/// `user set-email NAME EMAIL`
struct UserSetEmailCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-email", abstract: "Set a user's e-mail address.",
        discussion: """
            It is valid at once, without a link to confirm it. The old address gets a mail about it, and the user sees \
            the day in their settings.
            """)

    @Argument(help: "User name or e-mail address.")
    var name: String
    @Argument(help: "The new e-mail address.")
    var email: String

    func run(in context: CommandContext) async throws {
        let user = try await context.users.find(login: name, by: .operator)
        let address = try EmailAddress(email)
        try await context.users.setEmail(address, of: user.id, by: .operator)
        context.output("\(user.name) now has the address \(address.text).")
    }
}

/// `user set-role NAME ROLE`
struct UserSetRoleCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-role", abstract: "Change a user's role in the installation.")

    @Argument(help: "User name or e-mail address.")
    var name: String
    @Argument(help: "Their role in the installation: admin, member or guest.")
    var role: User.Role

    func run(in context: CommandContext) async throws {
        let user = try await context.users.find(login: name, by: .operator)
        try await context.users.setRole(role, of: user.id, by: .operator)
        context.output("\(user.name) (\(user.email)) is now: \(role.rawValue).")
    }
}

/// `user disable NAME`
struct UserDisableCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Disable a user's account and log them out.")

    @Argument(help: "User name or e-mail address.")
    var name: String

    func run(in context: CommandContext) async throws {
        let user = try await context.users.find(login: name, by: .operator)
        try await context.users.setDisabled(true, of: user.id, by: .operator)
        context.output("\(user.name) (\(user.email)) can no longer log in and was logged out everywhere.")
    }
}

/// `user mail-again NAME`
struct UserMailAgainCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail-again", abstract: "Send e-mails again to a user whose address did not take them.")

    @Argument(help: "User name or e-mail address.")
    var name: String

    func run(in context: CommandContext) async throws {
        let user = try await context.users.find(login: name, by: .operator)
        try await context.users.liftAddressFault(of: user.id, by: .operator)
        context.output("\(user.name) (\(user.email)) gets e-mails again.")
    }
}

/// `user unlink NAME`
struct UserUnlinkCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink", abstract: "Remove a user's links to log-in providers and log them out.",
        discussion: """
            Their next log-in through a provider links the account again, by its e-mail address. If somebody else could \
            do that, disable the account first.
            """)

    @Argument(help: "User name or e-mail address.")
    var name: String

    func run(in context: CommandContext) async throws {
        let user = try await context.users.find(login: name, by: .operator)
        try await context.users.unlink(user.id, by: .operator)
        context.output("\(user.name) (\(user.email)) is no longer linked to a provider and was logged out.")
    }
}

/// `user enable NAME`
struct UserEnableCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Let a disabled user log in again.")

    @Argument(help: "User name or e-mail address.")
    var name: String

    func run(in context: CommandContext) async throws {
        let user = try await context.users.find(login: name, by: .operator)
        try await context.users.setDisabled(false, of: user.id, by: .operator)
        context.output("\(user.name) (\(user.email)) can log in again.")
    }
}
