import ArgumentParser
import Foundation
import HappinessClient

/// `happiness verify-site URL`
struct VerifySiteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-site", abstract: "Compare an installation's web app with a release.",
        discussion: """
            Fetches every file of the web app and compares its SHA-256. Also reads pages, and reports what they load \
            that is not in the release: the log-in page, and with --user the page of your team and its vote page. A \
            server can still treat this command differently from a browser.
            """)

    @Argument(help: "Address of the installation.")
    var url: String
    @Option(help: "File with the hashes of the release, as sha256sum prints them.", completion: .file())
    var hashes: String
    @Option(help: "Also log in like a browser, with this user name or mail address.")
    var user: String?
    @Flag(help: "Send the password without encryption. Everyone on the way can read it.")
    var allowHTTP = false

    func run() async throws {
        let server = try ServerAddress.server(url, allowHTTP: allowHTTP || user == nil)
        guard let list = FileManager.default.contents(atPath: hashes) else {
            throw Refusal("\(hashes) can’t be read.")
        }
        let check = SiteCheck(server: server, hashes: String(decoding: list, as: UTF8.self))
        guard check.count > 0 else { throw Refusal("\(hashes) has no lines as sha256sum prints them.") }
        var pages = ["/login"]
        var differences = try await check.differences(onPage: "/login") + check.differencesOfServiceWorker()
        if let user {
            let password = Console.password()
            let session = Session(server: server, logIn: try await server.logIn(name: user, password: password)) { _ in
            }
            let memberPages = ["/"] + (try await session.teams().map { "/teams/\($0.id)/vote" })
            try await session.logOut()
            try await check.logIn(name: user, password: password)
            for page in memberPages { differences += try await check.differences(onPage: page) }
            pages += memberPages
        }
        for difference in differences { Console.error(difference) }
        guard differences.isEmpty else { throw ExitCode.failure }
        print(
            "All \(check.count) files are those of the release, and \(pages.joined(separator: ", ")) load nothing else."
        )
    }
}
