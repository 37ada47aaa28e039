import ArgumentParser
import Foundation
import HappinessClient

/// `happiness log-in URL`
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-in", abstract: "Log in at an installation.",
        discussion: "The password is asked for, or read from standard input if that is not a terminal.")

    @Argument(help: "Address of the installation, such as https://happiness.example.org.")
    var url: String
    @Option(help: "User name or mail address.")
    var user: String
    @Flag(help: "Send the password without encryption. Anyone on the network can read it.")
    var allowHTTP = false

    func run() async throws {
        let server = try ServerAddress.server(url, allowHTTP: allowHTTP)
        let device = try Device()
        let logIn = try await server.logIn(name: user, password: Console.password())
        let member = try await Session(server: server, logIn: logIn) { _ in }.member()
        try await device.change {
            $0.account = DeviceState.Account(server: server.address, member: member.id, logIn: logIn)
        }
        Console.print("You’re logged in as \(member.name) at \(server.address.absoluteString).")
    }
}

/// `happiness log-out`
struct LogOutCommand: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-out", abstract: "Log out. Votes that are not counted yet stay on this device.")

    func run(as member: LoggedInMember) async throws {
        do {
            try await member.session.logOut()
            Console.print("You’re logged out.")
        } catch ClientError.loggedOut {
            Console.print("You’re logged out. The session had ended already.")
        } catch ClientError.unreachable(let detail) {
            Console.print("You’re logged out on this device. The session goes on at the server: \(detail)")
        }
        try await member.device.change { $0.account = nil }
    }
}

/// `happiness my-data`
struct MyDataCommand: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "my-data", abstract: "Print everything that the server stores about you, as JSON.")

    func run(as member: LoggedInMember) async throws {
        Console.print(String(decoding: try await member.session.personalData(), as: UTF8.self))
    }
}

/// The address of an installation, as people type it.
enum ServerAddress {
    /// - Throws: `Rejection` unless it is an address with HTTPS, or one of this machine, or `allowHTTP`.
    static func server(_ text: String, allowHTTP: Bool) throws -> HappinessServer {
        guard let url = URL(string: text.contains("://") ? text : "https://\(text)"), let host = url.host(),
            ["http", "https"].contains(url.scheme?.lowercased()), url.query() == nil, url.fragment() == nil,
            url.user() == nil
        else { throw Rejection("\(text) isn’t the address of an installation.") }
        let isHere = ["localhost", "127.0.0.1", "::1"].contains(host)
        guard url.scheme?.lowercased() == "https" || isHere || allowHTTP else {
            throw Rejection("\(text) would send your password unencrypted. Use https://, or --allow-http.")
        }
        return HappinessServer(address: url)
    }
}
