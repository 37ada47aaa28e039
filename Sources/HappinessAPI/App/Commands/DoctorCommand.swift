import ArgumentParser
import AsyncHTTPClient
import Domain
import Foundation
import Logging
import ObjectStorage
import Product
import Services

/// `HappinessAPI doctor`: checks the installation, and says what to do.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the whole installation, and say what to do.",
        discussion: """
            Checks settings, files, port, store, clock, backups, pictures, mail, push and log-in, while API and worker \
            run or not. Where pictures and backups are kept, it writes a small object and deletes it. Exits with 1 if \
            something does not work.
            """)

    func run() async throws {
        let findings = await findings()
        let faults = findings.count { $0.state == .fault }
        try await reportingFailure {
            for finding in findings { ProgramOutput.print(finding.line) }
            ProgramOutput.print("\n\(Self.summary(of: findings, faults: faults))")
        }
        guard faults == 0 else { throw ExitCode.failure }
    }

    private static func summary(of findings: [Finding], faults: Int) -> String {
        guard faults == 0 else { return faults == 1 ? "One thing does not work." : "\(faults) things do not work." }
        let hasAdvice = findings.contains { $0.state == .advice }
        return hasAdvice ? "Nothing is broken. Please read the lines with “advice”." : "Everything works."
    }

    private func findings() async -> [Finding] {
        var notices: [Finding] = []
        let settings: Settings
        do {
            let former = FormerSettings.notices(in: ProcessInfo.processInfo.environment)
            notices = (try SettingsFile.standard().notices + former).map { Finding(.advice, "settings", $0) }
            settings = try await Settings.load()
        } catch let error as SettingsError {
            // Without settings there is nothing else to check.
            return notices + ([error] + error.others).map { Finding(.fault, "settings", $0.ownDescription) }
        } catch let error as SettingsFileError {
            return error.lines.map { Finding(.fault, "settings", $0) }
        } catch {
            return notices + [Finding(.fault, "settings", OperatorMessage.text(for: error))]
        }
        let client = HTTPClient(configuration: S3ObjectStore.clientConfiguration)
        let findings = await Doctor(settings: settings, client: client).findings()
        // Its connections end with the process.
        try? await client.shutdown()
        return notices + findings
    }
}
