import ArgumentParser
package import Domain
import Foundation
import Services

extension HappinessScale: ExpressibleByArgument {}

/// `team remove-imported TEAM`
struct TeamRemoveImportedCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-imported", abstract: "Remove all results that were imported into a team's history.")

    @Argument(help: "The team's name.")
    var team: String

    func run(in context: CommandContext) async throws {
        let team = try await context.teams.find(name: team, by: .operator)
        let removed = try await context.historyImport.removeAll(of: team.id)
        context.output("Removed \(TeamImportCommand.results(removed)) from \(team.name).")
    }
}

/// `team import TEAM FILE`
struct TeamImportCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add the results of another tool to a team's history.",
        discussion: """
            FILE is CSV or JSON with one entry for each sprint: its first and last day (start, end, such as \
            2026-01-05 or 5.1.2026), the average (happiness), the number of votes, how many people could have voted (eligible) and, \
            optionally, its name (sprint, such as 2026/3). Imported results are marked. Either all are added or none.
            """)

    @Argument(help: "The team's name.")
    var team: String
    @Argument(help: "The file; - reads standard input.")
    var file: InputFile
    @Option(help: "The worst and the best value of the other tool, such as 1-5.")
    var scale: HappinessScale = .full
    @Flag(help: "Remove what was imported before.")
    var replace = false

    func run(in context: CommandContext) async throws {
        let team = try await context.teams.find(name: team, by: .operator)
        let file = try HistoryFile(try text(), scale: scale)
        let removed = try await context.historyImport.add(file, to: team.id, replacing: replace)
        if removed > 0 { context.output("Removed \(Self.results(removed)) of an earlier import.") }
        context.output("Imported \(Self.results(file.results.count)) into \(team.name).")
    }

    fileprivate static func results(_ count: Int) -> String {
        count == 1 ? "1 result" : "\(count) results"
    }

    /// Bytes. The maximum number of results takes a twentieth of it.
    private static let maximumSize = 1 << 20

    /// - Throws: `OperatorError` if the file is missing, too large, or not UTF-8.
    private func text() throws -> String {
        guard let bytes = try? file.open().read(upToCount: Self.maximumSize + 1) ?? Data() else {
            throw OperatorError("\(file.path) cannot be read.")
        }
        guard bytes.count <= Self.maximumSize else { throw OperatorError("\(file.path) is larger than a megabyte.") }
        do {
            return try SpreadsheetText.decoded(bytes)
        } catch {
            throw OperatorError(
                "Line \(error.line) of \(file.path) is not UTF-8. In a spreadsheet, save it as “CSV UTF-8”.")
        }
    }
}
