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
    @Flag(help: "Send the password without encryption. Anyone on the network can read it.")
    var allowHTTP = false

    func run() async throws {
        let server = try ServerAddress.server(url, allowHTTP: allowHTTP || user == nil)
        guard let list = FileManager.default.contents(atPath: hashes) else {
            throw Rejection("\(hashes) can’t be read.")
        }
        let check = SiteCheck(server: server, hashes: String(decoding: list, as: UTF8.self))
        guard check.count > 0 else { throw Rejection("\(hashes) has no lines as sha256sum prints them.") }
        var pages = ["/login"]
        var differences = try await check.differences(onPage: "/login", loading: ["style.css"])
        differences += try await check.differencesOfServiceWorker()
        if let user {
            let home = try await check.logIn(name: user, password: Console.password())
            for page in [home, "\(home)/vote"] {
                differences += try await check.differences(onPage: page, loading: ["app.js"])
                pages.append(page)
            }
            try await check.logOut()
        }
        for difference in differences { Console.error(difference) }
        guard differences.isEmpty else { throw ExitCode.failure }
        Console.print(
            "All \(check.count) files are those of the release, and \(pages.joined(separator: ", ")) load nothing else."
        )
    }
}
