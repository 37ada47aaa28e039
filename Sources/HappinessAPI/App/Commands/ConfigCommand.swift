import ArgumentParser
import Foundation
import Mail
import Product
import Services

/// `HappinessAPI config …`: about the settings.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the settings.", subcommands: [ConfigCheckCommand.self])
}

/// `config check`: validates the settings without opening the store.
struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the settings of API and worker, and change nothing.",
        discussion: """
            Prints every setting that is not valid, every line of .env that is not read or has no effect, every setting \
            of the first system, and every text or mail that a language’s files lack. Warns of providers for log-in \
            that are trusted with addresses.
            """)

    func run() async throws {
        var notices: [String] = []
        try await reportingFailure {
            notices = try SettingsFile.standard().notices
            notices += FormerSettings.notices(in: ProcessInfo.processInfo.environment)
            notices += try textNotices()
            for notice in notices { ProgramOutput.print(notice) }
            // These are decisions, and no mistakes.
            for warning in try await Settings.load().openID.warnings { ProgramOutput.print("Warning: \(warning)") }
            if notices.isEmpty { ProgramOutput.print("All settings are valid.") }
        }
        guard notices.isEmpty else { throw ExitCode.failure }
    }

    /// What the files of a language lack: the program starts all the same, and shows English.
    private func textNotices() throws -> [String] {
        let resources = Resources.standard()
        let texts = try TextCatalog(resources: resources)
        let mails = try MailTemplates(directory: resources.url("templates/mail"), publicURL: "", texts: texts)
        return texts.notices + mails.notices
    }
}
