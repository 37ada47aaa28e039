import Domain
import Foundation
import Services
import Storage
import Testing

@Suite struct UserServiceTests {
    private func new(_ name: String, _ email: String, role: User.Role = .member) throws -> UserService.NewUser {
        UserService.NewUser(name: try UserName(name), email: try EmailAddress(email), role: role)
    }

    @Test func `Names and addresses are unique in any case`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser("Anna")
            let name = try await rejection {
                _ = try await accounts.users.add(
                    try new("ANNA", "b@example.org"), password: Accounts.password, by: .operator)
            }
            #expect(name?.reason == .nameTaken)
            let email = try await rejection {
                _ = try await accounts.users.add(
                    try new("Bert", "Anna@Example.org"), password: Accounts.password, by: .operator)
            }
            #expect(email?.reason == .emailTaken)
        }
    }

    @Test func `A weak password is refused, and nobody is added`() async throws {
        try await Accounts.with { accounts in
            let error = try await rejection {
                _ = try await accounts.users.add(try new("Anna", "a@example.org"), password: "password1", by: .operator)
            }
            #expect(error?.reason == .passwordTooCommon)
            #expect(try await accounts.users.list(by: .operator).isEmpty)
        }
    }

    @Test func `A user can start in a team, which becomes their default`() async throws {
        try await Accounts.with { accounts in
            let team = try await accounts.teams.add(name: "Blue", by: .operator)
            let new = UserService.NewUser(
                name: try UserName("Anna"), email: try EmailAddress("a@example.org"),
                membership: (teamID: team.id, role: .lead))
            let user = try await accounts.users.add(new, password: Accounts.password, by: .operator)
            #expect(try await accounts.stores.membership(of: user.id, in: team.id)?.role == .lead)
            #expect(try await accounts.stores.user(user.id)?.defaultTeamID == team.id)
        }
    }

    @Test func `Only admins and the operator manage accounts`() async throws {
        try await Accounts.with { accounts in
            let admin = try await accounts.addUser("Admin", role: .admin)
            let member = try await accounts.addUser("Member")
            let guest = try await accounts.addUser("Guest", role: .guest)
            for caller in [Caller.user(member.id), .user(guest.id), .user(.random())] {
                let users = accounts.users
                let attempts: [() async throws -> Void] = [
                    { _ = try await users.list(by: caller) },
                    { _ = try await users.find(login: "Admin", by: caller) },
                    { _ = try await users.add(try new("X", "x@example.org"), password: Accounts.password, by: caller) },
                    { try await users.setPassword(Accounts.password, of: admin.id, by: caller) },
                    { try await users.setDisabled(true, of: admin.id, by: caller) },
                ]
                for attempt in attempts {
                    #expect(try await rejection(of: attempt)?.code == .forbidden)
                }
            }
            #expect(try await accounts.users.list(by: .user(admin.id)).map(\.name) == ["Admin", "Guest", "Member"])
        }
    }

    @Test func `A disabled admin manages nothing`() async throws {
        try await Accounts.with { accounts in
            let admin = try await accounts.addUser("Admin", role: .admin)
            _ = try await accounts.addUser("Other", role: .admin)
            try await accounts.users.setDisabled(true, of: admin.id, by: .operator)
            #expect(try await rejection { _ = try await accounts.users.list(by: .user(admin.id)) }?.code == .forbidden)
        }
    }

    @Test func `An admin cannot disable themselves`() async throws {
        try await Accounts.with { accounts in
            let admin = try await accounts.addUser("Admin", role: .admin)
            let error = try await rejection {
                try await accounts.users.setDisabled(true, of: admin.id, by: .user(admin.id))
            }
            #expect(error?.reason == .ownAccount)
        }
    }

    @Test func `A new password ends all sessions`() async throws {
        try await Accounts.with { accounts in
            let user = try await accounts.addUser()
            let logIn = try await accounts.logIn()
            _ = try await accounts.authenticate(logIn.accessToken)
            try await accounts.users.setPassword("quite another one", of: user.id, by: .operator)
            #expect(try await accounts.refusalOfToken(logIn.accessToken) == .sessionEnded)
            #expect(try await rejection { _ = try await accounts.logIn() }?.reason == .wrongCredentials)
            _ = try await accounts.logIn(password: "quite another one")
        }
    }

    @Test func `Only a password set by somebody else is marked`() async throws {
        try await Accounts.with { accounts in
            let admin = try await accounts.addUser("Admin", role: .admin)
            let other = try await accounts.addUser("Other", role: .admin)
            let callers: [(Caller, Bool)] = [(.user(admin.id), false), (.user(other.id), true), (.operator, true)]
            for (caller, isHandedOut) in callers {
                try await accounts.users.setPassword("quite another one", of: admin.id, by: caller)
                #expect(
                    try await accounts.stores.user(admin.id)?.passwordIsHandedOut == isHandedOut,
                    "\(caller)")
            }
        }
    }

    @Test func `An enabled user logs in again`() async throws {
        try await Accounts.with { accounts in
            let user = try await accounts.addUser()
            try await accounts.users.setDisabled(true, of: user.id, by: .operator)
            #expect(try await rejection { _ = try await accounts.logIn() } != nil)
            try await accounts.users.setDisabled(false, of: user.id, by: .operator)
            _ = try await accounts.logIn()
        }
    }

    @Test func `The list is read page by page`() async throws {
        try await Accounts.with { accounts in
            for name in ["carl", "Anna", "Bert"] { try await accounts.addUser(name) }
            let first = try await accounts.users.list(limit: 2, by: .operator)
            #expect(first.map(\.name) == ["Anna", "Bert"])
            #expect(try await accounts.users.list(after: "Bert", limit: 2, by: .operator).map(\.name) == ["carl"])
        }
    }
}
