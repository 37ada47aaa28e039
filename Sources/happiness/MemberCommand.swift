import ArgumentParser
import Foundation
import HappinessClient

/// A command of a member who is logged in.
protocol MemberCommand: AsyncParsableCommand {
    /// What the command does.
    func run(as member: LoggedInMember) async throws
}

extension MemberCommand {
    func run() async throws { try await run(as: try await LoggedInMember(device: try Device())) }
}

/// The member who is logged in on this device.
struct LoggedInMember {
    let device: Device
    let session: Session
    let account: DeviceState.Account

    /// - Throws: ``ClientError``: `loggedOut`.
    init(device: Device) async throws {
        guard let account = await device.state.account else {
            throw ClientError.loggedOut("You aren’t logged in. Log in: happiness log-in https://…")
        }
        self.device = device
        self.account = account
        session = Session(server: HappinessServer(address: account.server), logIn: account.logIn) { logIn in
            try await device.change { $0.account?.logIn = logIn }
        }
    }

    /// The ballot key of a sprint, asked for without the login. The device remembers the first one.
    /// - Throws: ``ClientError``: `keyDiffers`, `rejected` (`no-such-ballot-key`).
    func ballotKey(of sprint: String, in team: String) async throws -> BallotKey {
        let server = session.server
        let name = DeviceState.SeenKey.name(of: sprint, in: team, at: server)
        let key = try await server.ballotKey(of: sprint, in: team, first: await device.state.firstKey(name))
        try await device.change { $0.see(key, as: name) }
        return key
    }
}

/// Which of the member's teams.
struct TeamOption: ParsableArguments {
    @Option(help: "Name of the team, if you are in several.")
    var team: String?

    /// The team of this name, or the only one.
    func team(of member: LoggedInMember) async throws -> Team {
        let teams = try await member.session.teams()
        let found = teams.filter { team == nil || $0.name == team || $0.id == team }
        guard let only = found.first, found.count == 1 else {
            let names = teams.map(\.name).joined(separator: ", ")
            throw Rejection(
                teams.isEmpty ? "You aren’t in a team." : "Choose one of your teams with --team: \(names)")
        }
        return only
    }
}
