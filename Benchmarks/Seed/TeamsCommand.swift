import ArgumentParser
import Domain
import Foundation
import Services
import Storage

/// `BenchmarkSeed teams`: creates teams whose members can log in with a password. The first member of each leads it.
struct TeamsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "teams", abstract: "Makes teams whose members log in with a password.")

    @Option(help: "Number of members of each team, such as 3,5,12.")
    var sizes: String

    @Option(help: "When ballots become visible: live, close or immediate.")
    var policy: PublicationPolicy = .live

    @Option(help: "Starts the teams' names, so that the command can run again.")
    var name = "Team"

    private struct Made: Encodable {
        struct Team: Encodable {
            let id: String
            let members: [Member]
        }

        struct Member: Encodable {
            let id: String
            let name: String
        }

        let password: String
        let teams: [Team]
    }

    func run() async throws {
        let sizes = try sizes.split(separator: ",").map { size in
            guard let size = Int(size), size > 0 else { throw ValidationError("\(size) is no number of members.") }
            return size
        }
        try await OpenStore.with { store in
            let password = PasswordGenerator.password()
            // Checking it takes no time worth mentioning: logins are not what is measured.
            let hash = try await PasswordHasher(cost: PasswordHasher.costs.lowerBound).hash(password)
            var teams: [Made.Team] = []
            for (number, size) in sizes.enumerated() {
                let team = Team(name: "\(name) \(number)", settings: TeamSettings(policy: policy))
                try await store.stores.transaction { try $0.add(team) }
                var members: [Made.Member] = []
                for place in 0..<size {
                    let userName = "\(name.lowercased())\(number).\(place)"
                    let user = User(
                        name: try UserName(userName), email: try EmailAddress("\(userName)@example.org"),
                        passwordHash: hash,
                        createdOn: CalendarDay(instant: Date(), in: .gmt))
                    try await store.stores.transaction { try $0.add(user) }
                    try await store.stores.transaction {
                        try $0.add(
                            Membership(teamID: team.id, userID: user.id, role: place == 0 ? .lead : .member),
                            secret: store.secrets.ballot)
                    }
                    members.append(Made.Member(id: "\(user.id)", name: userName))
                }
                teams.append(Made.Team(id: "\(team.id)", members: members))
            }
            try printJSON(Made(password: password, teams: teams))
        }
    }
}

extension PublicationPolicy: ExpressibleByArgument {}
