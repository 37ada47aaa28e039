import ArgumentParser
import Domain
import Foundation
import Services
import Storage

/// `import-classic URI`
struct ClassicImportCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-classic", abstract: "Move accounts and results of the first system here.",
        discussion: """
            Reads the collections users, happinesses and usersprints of its database, and writes nothing there. \
            Without --yes, it only says what would be moved, and what cannot be. It can be repeated: what is here \
            already stays as it is.

            People log in with their old passwords. Results keep their values and feedback. Of the running sprint, the \
            votes so far are moved, and nobody can vote twice; stop the first system before.
            """)

    @Argument(
        help: """
            The database: mongodb://HOST/DATABASE or mongodb+srv://…; - reads it from standard input, so that \
            other users of this machine cannot read its password.
            """)
    var uri: String
    @Option(help: "The team that everything belongs to; it is created if there is none with this name.")
    var team: String
    @Option(help: "IANA time zone of a new team, such as Europe/Vienna.")
    var timeZone: String?
    @Option(help: "User name or e-mail address of someone who leads the team. Can be repeated.")
    var lead: [String] = []
    @Option(help: "Language of e-mails until people choose one or log in with a browser, such as de.")
    var locale: MailLocale = .german
    @Option(
        help: """
            A field of users that has another name there, such as email=mail. Can be repeated; known are username, \
            email, password, profilePicture and deviceToken.
            """)
    var field: [ClassicFieldName] = []
    @Option(
        help: """
            Fetch pictures whose address in profilePicture is at this place, such as https://pictures.example.org. \
            Others are not fetched.
            """)
    var pictures: ClassicPictureOrigin?
    @Flag(help: "Move everything. Without this, the command only says what would be moved.")
    var yes = false

    /// It may be the first command of an installation.
    var createsStore: Bool { true }

    func validate() throws {
        guard Set(field.map(\.field)).count == field.count else {
            throw ValidationError("--field names the same field twice.")
        }
    }

    func run(in context: CommandContext) async throws {
        let names = Dictionary(uniqueKeysWithValues: field.map { ($0.field, $0.name) })
        let dump = try await ClassicDatabase.read(try address(context.input), names: names)
        let report = try await context.classicImport.run(
            dump, into: ClassicImport.Target(team: team, timeZone: timeZone, leads: lead, locale: locale), writing: yes)
        report.lines.forEach(context.output)
        context.output(summary(of: report))
        if !report.pictures.isEmpty { try await move(report.pictures, in: context) }
        if !yes, !report.isEmpty { context.output("To move it, repeat the command with --yes.") }
    }

    private func move(_ all: [ClassicImport.Picture], in context: CommandContext) async throws {
        let number = all.count == 1 ? "1 picture" : "\(all.count) pictures"
        guard let origin = pictures else {
            return context.output("\(number) can be fetched, too: --pictures names the place.")
        }
        guard yes else { return context.output("Would fetch \(number).") }
        guard let settings = context.objects else { throw OperatorError("There is no place for pictures.") }
        let (count, lines) = try await ClassicPictures.with(origin, settings: settings, in: context) {
            try await $0.move(all)
        }
        lines.forEach(context.output)
        context.output("Moved \(count) of \(number).")
    }

    /// - Throws: `OperatorError` if standard input has no line.
    private func address(_ input: PasswordInput) throws -> String {
        guard uri == "-" else { return uri }
        guard let line = input.readLine("URI: "), !line.isEmpty else {
            throw OperatorError("Standard input has no line with the database’s URI.")
        }
        return line
    }

    private func summary(of report: ClassicImport.Report) -> String {
        guard !report.isEmpty else { return "There is nothing to move: everything else is in \(team) already." }
        func number(_ count: Int, _ one: String, _ several: String) -> String {
            count == 1 ? "1 \(one)" : "\(count) \(several)"
        }
        let parts = [
            number(report.people, "account", "accounts"), number(report.sprints, "sprint", "sprints"),
            number(report.feedback, "feedback", "feedbacks"),
            "\(number(report.receipts, "receipt", "receipts")) of the running sprint",
        ]
        let place = "\(report.isTeamNew ? "the new team" : "team") \(team)"
        return "\(yes ? "Moved" : "Would move") \(parts.joined(separator: ", ")) into \(place)."
    }
}

/// `email=mail`: a field of the first system's accounts, and the name that it has there.
struct ClassicFieldName: ExpressibleByArgument {
    let field: ClassicDump.Field
    let name: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let field = ClassicDump.Field(rawValue: parts[0]) else { return nil }
        self.field = field
        name = parts[1]
    }
}
