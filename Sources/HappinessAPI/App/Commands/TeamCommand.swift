import ArgumentParser
import Domain
import Product
import Services

/// `HappinessAPI team …`: manages teams, their settings and members.
struct TeamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "team", abstract: "Add, change and delete teams.",
        subcommands: [
            TeamAddCommand.self, TeamListCommand.self, TeamSettingsCommand.self, TeamAddMemberCommand.self,
            TeamRemoveMemberCommand.self, TeamImportCommand.self, TeamRemoveImportedCommand.self,
            TeamDeleteCommand.self,
        ])
}

/// `team add NAME`
struct TeamAddCommand: OperatorCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a team.")

    @Argument(help: "The team's name.")
    var name: String
    @OptionGroup var options: TeamSettingsOptions

    /// It may be the first command of an installation.
    var createsStore: Bool { true }

    func run(in context: CommandContext) async throws {
        let team = try await context.teams.add(name: name, settings: options.change, by: .operator)
        context.output("Added team \(team.name).")
        team.settings.lines.forEach(context.output)
    }
}

/// `team list`
struct TeamListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all teams.")

    func run(in context: CommandContext) async throws {
        var page = try await context.teams.list(by: .operator)
        if page.isEmpty {
            context.output(ProgramCall.current.pasteable("There are no teams yet. Add one: HappinessAPI team add NAME"))
        }
        while let last = page.last {
            for team in page {
                context.output("\(team.name), \(team.memberCount) \(team.memberCount == 1 ? "member" : "members")")
            }
            page = try await context.teams.list(after: last.name, by: .operator)
        }
    }
}

/// `team settings TEAM`
struct TeamSettingsCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show a team's settings, and change those given.")

    @Argument(help: "The team's name.")
    var team: String
    @OptionGroup var options: TeamSettingsOptions
    @OptionGroup var reminderOptions: ReminderOptions

    func run(in context: CommandContext) async throws {
        let team = try await context.teams.find(name: team, by: .operator)
        let change = options.change
        // Validated before anything is stored: if one setting is rejected, none changes.
        _ = try change.applied(to: team.settings)
        let reminders =
            reminderOptions.change.isEmpty
            ? try await context.reminders.settings(of: team.id, by: .operator)
            : try await context.reminders.change(team.id, reminderOptions.change, by: .operator)
        guard !change.isEmpty else {
            return (team.settings.lines + reminders.lines).forEach(context.output)
        }
        let settings = try await context.teams.changeSettings(of: team.id, change, by: .operator)
        (settings.lines + reminders.lines).forEach(context.output)
        for line in Self.effects(from: team.settings, to: settings) {
            context.output(line)
        }
    }

    /// Says when the changes take effect.
    static func effects(from old: TeamSettings, to new: TeamSettings) -> [String] {
        var rest = new
        var lines: [String] = []
        if new.threshold > old.threshold {
            lines.append("The higher minimum applies now, in the current sprint too.")
            rest.threshold = old.threshold
        }
        if new.feedbackReaders == .leads, old.feedbackReaders == .team {
            lines.append("From now on only leads read feedback, including that of past sprints.")
            rest.feedbackReaders = old.feedbackReaders
        }
        if rest != old {
            lines.append("\(lines.isEmpty ? "This" : "Everything else") applies from the next sprint.")
        }
        return lines.isEmpty ? ["Nothing changed."] : lines
    }
}

/// `team add-member TEAM USER`
struct TeamAddMemberCommand: OperatorCommand {
    static let configuration = CommandConfiguration(commandName: "add-member", abstract: "Add a user to a team.")

    @Argument(help: "The team's name.")
    var team: String
    @Argument(help: "User name or e-mail address.")
    var user: String
    @Flag(help: "Add them as a team lead.")
    var lead = false

    func run(in context: CommandContext) async throws {
        let team = try await context.teams.find(name: team, by: .operator)
        let user = try await context.teams.addMember(
            user, role: lead ? .lead : .member, to: team.id, by: .operator)
        context.output("Added \(user.name) \(lead ? "as a lead of" : "to") \(team.name).")
    }
}

/// `team remove-member TEAM USER`
struct TeamRemoveMemberCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-member", abstract: "Remove a user from a team.")

    @Argument(help: "The team's name.")
    var team: String
    @Argument(help: "User name or e-mail address.")
    var user: String

    func run(in context: CommandContext) async throws {
        let team = try await context.teams.find(name: team, by: .operator)
        let user = try await context.teams.removeMember(user, from: team.id, by: .operator)
        context.output("Removed \(user.name) from \(team.name).")
    }
}

/// `team delete TEAM`
struct TeamDeleteCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete a team and all its results, for good.")

    @Argument(help: "The team's name.")
    var team: String
    @Flag(help: "Delete it. Without this, the command only says what would be deleted.")
    var yes = false

    func run(in context: CommandContext) async throws {
        let team = try await context.teams.find(name: team, by: .operator)
        guard yes else {
            context.output(
                "This deletes \(team.name) (\(team.memberCount) \(team.memberCount == 1 ? "member" : "members")) with all "
                    + "votes, feedback, actions and settings. The accounts of its members stay.")
            // Quoted for a shell: leads choose the name.
            let name = ProgramCall.quoted(team.name)
            return context.output("To delete it: \(ProgramCall.current.text) team delete \(name) --yes")
        }
        try await context.teams.delete(team.id, named: team.name, by: .operator)
        context.output("Deleted team \(team.name).")
    }
}
