import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct LoginServiceTests {
    @Test(arguments: ["Anna", "anna", " ANNA ", "anna@example.org", "ANNA@EXAMPLE.ORG"])
    func `User name and address work in any case`(login: String) async throws {
        try await Accounts.with { accounts in
            let user = try await accounts.addUser()
            #expect(try await accounts.logIn(login).user.id == user.id)
        }
    }

    @Test func `Every refusal has the same answer and takes the same work`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser("Anna")
            let disabled = try await accounts.addUser("Bert")
            try await accounts.users.setDisabled(true, of: disabled.id, by: .operator)
            try await accounts.stores.insert(
                User(name: try UserName("Carl"), email: try EmailAddress("carl@example.org")))
            for (login, password) in [
                ("Anna", "wrong password"), ("Bert", Accounts.password), ("Carl", Accounts.password),
                ("Nobody", Accounts.password), ("nobody@example.org", "x"), ("", ""),
                ("Anna", String(repeating: "x", count: 500)), ("Anna", Accounts.password + "\0"),
                ("Anna\0", Accounts.password), ("anna@example.org\0x", Accounts.password),
            ] {
                let before = accounts.hasher.hashCount
                let error = try await rejection { _ = try await accounts.logIn(login, password: password) }
                #expect(
                    error
                        == AppError(
                            .unauthenticated, "Wrong user name or password.", reason: .wrongCredentials))
                #expect(accounts.hasher.hashCount - before == 1, "\(login)")
            }
        }
    }

    @Test func `A rotating log-in lasts a quarter of an hour and a classic one thirty days`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let rotating = try await accounts.logIn()
            #expect(rotating.expiresIn == 900)
            #expect(rotating.refreshToken != nil)
            let classic = try await accounts.logIn(lifetime: .classic)
            #expect(classic.expiresIn == 30 * 86_400)
            #expect(classic.refreshToken == nil)
            accounts.clock.advance(by: 900)
            #expect(try await accounts.refusalOfToken(rotating.accessToken) == .tokenExpired)
            accounts.clock.advance(by: 30 * 86_400 - 901)
            _ = try await accounts.authenticate(classic.accessToken)
            accounts.clock.advance(by: 1)
            #expect(try await accounts.refusalOfToken(classic.accessToken) != nil)
        }
    }

    @Test func `A raised cost hashes again at the next log-in`() async throws {
        try await Accounts.with { accounts in
            let user = try await accounts.addUser()
            let dearer = try Accounts(stores: accounts.stores, cost: 5)
            _ = try await dearer.logIn()
            let hash = try #require(try await accounts.stores.user(user.id)?.passwordHash)
            #expect(hash.hasPrefix("$2b$05$"))
            let isHandedOut = try await accounts.stores.user(user.id)?.passwordIsHandedOut
            #expect(isHandedOut == true, "it is the same password")
            _ = try await dearer.logIn()
            #expect(try await accounts.stores.user(user.id)?.passwordHash == hash)
        }
    }

    @Test func `Refreshing gives a new pair and extends the session`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            var logIn = try await accounts.logIn()
            for _ in 0..<5 {
                accounts.clock.advance(by: 59 * 86_400)
                let next = try await accounts.logins.refresh(try #require(logIn.refreshToken))
                #expect(next.refreshToken != logIn.refreshToken)
                #expect(next.sessionID == logIn.sessionID)
                _ = try await accounts.authenticate(next.accessToken)
                logIn = next
            }
            // A session expires at the end of a day.
            accounts.clock.advance(by: 61 * 86_400)
            let last = try #require(logIn.refreshToken)
            #expect(try await accounts.refusalOfRefresh(last) == .sessionEnded)
        }
    }

    @Test func `A repeat within thirty seconds gives the same refresh token`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let first = try #require(try await accounts.logIn().refreshToken)
            let answer = try await accounts.logins.refresh(first)
            accounts.clock.advance(by: 30)
            let again = try await accounts.logins.refresh(first)
            #expect(again.refreshToken == answer.refreshToken)
            #expect(again.expires == answer.expires)
            _ = try await accounts.authenticate(again.accessToken)
        }
    }

    @Test func `Later reuse ends the session`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let first = try #require(try await accounts.logIn().refreshToken)
            let second = try await accounts.logins.refresh(first)
            _ = try await accounts.authenticate(second.accessToken)
            accounts.clock.advance(by: 31)
            #expect(try await accounts.refusalOfRefresh(first) == .refreshTokenReused)
            let secondToken = try #require(second.refreshToken)
            #expect(try await accounts.refusalOfRefresh(secondToken) == .sessionEnded)
            #expect(try await accounts.refusalOfToken(second.accessToken) == .sessionEnded)
        }
    }

    @Test func `A token two generations old ends the session, even at once`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let first = try #require(try await accounts.logIn().refreshToken)
            let second = try #require(try await accounts.logins.refresh(first).refreshToken)
            _ = try await accounts.logins.refresh(second)
            #expect(try await accounts.refusalOfRefresh(first) == .refreshTokenReused)
        }
    }

    @Test func `A forged refresh token is refused and harms nobody`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let logIn = try await accounts.logIn()
            let genuine = try #require(logIn.refreshToken)
            let code = try #require(genuine.split(separator: ".").last)
            let zeros = [UInt8](repeating: 0, count: 32).base64URL
            for forged in [
                "\(logIn.sessionID).1.\(code)", "\(logIn.sessionID).0.\(zeros)", "\(Session.ID.random()).0.\(code)", "",
                "x",
            ] {
                #expect(try await rejection { _ = try await accounts.logins.refresh(forged) }?.code == .unauthenticated)
            }
            _ = try await accounts.logins.refresh(genuine)
        }
    }

    @Test func `Racing refreshes get the same token`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let token = try #require(try await accounts.logIn().refreshToken)
            let logins = accounts.logins
            let answers = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await logins.refresh(token).refreshToken }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(answers.count == 1)
        }
    }

    @Test func `A disabled user is logged out and cannot refresh`() async throws {
        try await Accounts.with { accounts in
            let user = try await accounts.addUser()
            let logIn = try await accounts.logIn()
            _ = try await accounts.authenticate(logIn.accessToken)
            try await accounts.users.setDisabled(true, of: user.id, by: .operator)
            #expect(try await accounts.refusalOfToken(logIn.accessToken) != nil)
            let token = try #require(logIn.refreshToken)
            #expect(try await rejection { _ = try await accounts.logins.refresh(token) }?.code == .unauthenticated)
        }
    }
}
