import ArgumentParser
import Domain
import Services
import Storage
import Synchronization
import TestSupport
import Testing

@testable import HappinessAPI

@Suite struct InviteCommandTests {
    /// Runs a command line.
    /// - Returns: the printed lines.
    private func run(_ arguments: String..., in stores: Stores) async throws -> [String] {
        let command = try #require(try HappinessCommand.parseAsRoot(arguments) as? any OperatorCommand)
        let lines = Mutex<[String]>([])
        try await command.run(
            in: CommandContext(
                stores: stores, hasher: try PasswordHasher(cost: PasswordHasher.costs.lowerBound),
                secrets: TestTeam.secrets, location: .sqlite(path: "none"),
                input: PasswordInput(isTerminal: false) { _ in nil },
                output: { line in lines.withLock { $0.append(line) } }))
        return lines.withLock { $0 }
    }

    @Test func `The operator invites someone into a team by its name`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await stores.insert(Team(name: "Blue"))
            let lines = try await run(
                "user", "invite", "new@example.org", "--team", "blue", "--role", "guest", "--lead", "--locale", "de",
                in: stores)
            #expect(lines == ["Invited new@example.org, guest as a lead of Blue. The worker sends the e-mail."])
            let invitation = try #require(
                try await stores.read { try $0.invitations(teamID: nil, inviterID: nil, after: nil, limit: 2) }.first)
            #expect(invitation.role == .guest)
            #expect(invitation.teamRole == .lead)
            #expect(invitation.locale == "de")
            #expect(try await stores.jobs.list(state: .ready, limit: 2).map(\.kind) == ["mail.invitation"])
        }
    }

    @Test func `Someone with an account is asked like everyone else`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await stores.insert(Team(name: "Blue"))
            _ = try await run("user", "add", "Anna", "anna@example.org", in: stores)
            let invited = try await run("user", "invite", "anna@example.org", "--team", "Blue", in: stores)
            #expect(invited == ["Invited anna@example.org, member to Blue. The worker sends the e-mail."])
            _ = try await run("team", "add-member", "Blue", "Anna", in: stores)
            let there = try await run("user", "invite", "anna@example.org", "--team", "Blue", in: stores)
            #expect(there == ["anna@example.org is already in the team. Nothing changed."])
            let again = try await run("user", "invite", "anna@example.org", in: stores)
            #expect(again == ["anna@example.org already has an account. Nothing changed."])
        }
    }

    @Test(arguments: [["a@b.c", "--lead"], ["a@b.c", "--role", "owner"], ["a@b.c", "--locale", "fr"], []])
    func `A nonsensical command line is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try HappinessCommand.parseAsRoot(["user", "invite"] + arguments) }
    }
}
