import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

@Suite struct LoginThrottleTests {
    private func fail(
        _ accounts: Accounts, _ login: String, from address: String = Accounts.address
    ) async throws -> AppError? {
        try await rejection { _ = try await accounts.logIn(login, password: "wrong", address: address) }
    }

    @Test(arguments: ["Anna", "Nobody"])
    func `The wait doubles from the fifth failure, for known and unknown users alike`(login: String) async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            for _ in 0..<5 {
                #expect(try await fail(accounts, login)?.code == .unauthenticated)
            }
            for wait in [1, 2, 4, 8] {
                let error = try await fail(accounts, login, from: "198.51.100.\(wait)")
                #expect(error?.code == .tooManyRequests)
                #expect(error?.retryAfter == wait)
                accounts.clock.advance(by: TimeInterval(wait))
                #expect(try await fail(accounts, login, from: "198.51.100.\(wait)")?.code == .unauthenticated)
            }
        }
    }

    @Test func `A refused attempt costs no hash and does not lengthen the wait`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            for _ in 0..<5 { _ = try await fail(accounts, "Anna") }
            let before = accounts.hasher.hashCount
            for _ in 0..<10 {
                #expect(try await fail(accounts, "Anna")?.retryAfter == 1)
            }
            #expect(accounts.hasher.hashCount == before)
            accounts.clock.advance(by: 1)
            _ = try await accounts.logIn()
        }
    }

    @Test func `The right password waits too, and then clears the count`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            for _ in 0..<5 { _ = try await fail(accounts, "Anna") }
            #expect(try await rejection { _ = try await accounts.logIn() }?.code == .tooManyRequests)
            accounts.clock.advance(by: 1)
            _ = try await accounts.logIn()
            for _ in 0..<5 {
                #expect(try await fail(accounts, "Anna")?.code == .unauthenticated)
            }
        }
    }

    @Test func `Attempts at the same time are counted one after another`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let logins = accounts.logins
            let codes = await withTaskGroup(of: AppError.Code?.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do {
                            _ = try await logins.logIn(
                                login: "Anna", password: "wrong", device: "", address: "203.0.113.\(number)",
                                lifetime: .rotating)
                            return nil
                        } catch {
                            return (error as? AppError)?.code
                        }
                    }
                }
                return await group.reduce(into: [AppError.Code?]()) { $0.append($1) }
            }
            #expect(codes.count { $0 == .unauthenticated } == 5)
            #expect(codes.count { $0 == .tooManyRequests } == 15)
        }
    }

    @Test func `An address that tries many accounts has to wait`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            for number in 0..<20 {
                #expect(try await fail(accounts, "user\(number)")?.code == .unauthenticated)
            }
            #expect(try await fail(accounts, "user20")?.retryAfter == 1)
            #expect(try await fail(accounts, "user20", from: "192.0.2.2")?.code == .unauthenticated)
        }
    }

    /// Otherwise an attacker with an account could guess other users' passwords without limit, with logins of their
    /// own in between.
    @Test func `A log-in does not reset an address's failures for other accounts`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let names = (0..<LoginThrottle.addressAllowance).map { "user\($0)" }
            for name in names.dropLast() {
                #expect(try await fail(accounts, name)?.code == .unauthenticated)
            }
            _ = try await accounts.logIn()
            #expect(try await fail(accounts, try #require(names.last))?.code == .unauthenticated)
            let error = try await fail(accounts, "one more")
            #expect(error?.code == .tooManyRequests && error?.retryAfter == 1)
            #expect(try await rejection { _ = try await accounts.logIn() }?.code == .tooManyRequests)
            _ = try await accounts.logIn(address: "198.51.100.1")
        }
    }

    @Test func `The store contains no name and no address`() async throws {
        try await Accounts.with { accounts in
            let throttle = LoginThrottle(store: accounts.stores.rows, secret: Accounts.secret)
            try await throttle.recordFailure(throttle.attempt(login: "Anna", from: "192.0.2.1"), at: accounts.clock.now)
            for text in ["Anna", "anna", "192.0.2.1"] {
                #expect(
                    try await accounts.stores.read { try $0.loginFailures(SecureBytes.sha256(Data(text.utf8))) } == nil)
                #expect(try await accounts.stores.read { try $0.loginFailures(Array(text.utf8)) } == nil)
            }
        }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("::ffff:192.0.2.1", "192.0.2.1", true), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", false), ("2001:DB8:1:2::1", "2001:db8:1:2::1", true),
        ("fe80::1%eth0", "fe80::2", true), ("unknown", "unknown", true),
    ])
    func `IPv6 addresses are counted by subscriber`(first: String, second: String, isSame: Bool) {
        #expect((ClientNetwork.name(of: first) == ClientNetwork.name(of: second)) == isSame)
    }

    @Test func `The wait ends at a quarter of an hour and is forgotten after a day`() {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        func wait(_ count: Int, _ age: TimeInterval) -> TimeInterval {
            LoginThrottle.wait(after: LoginFailures(count: count, last: now - age), allowance: 5, at: now)
        }
        #expect(wait(4, 0) == 0)
        #expect(wait(14, 0) == 512)
        #expect(wait(15, 0) == 900)
        #expect(wait(5_000_000, 0) == 900)
        #expect(wait(15, 900) <= 0)
        #expect(wait(15, LoginFailures.memory + 1) == 0)
        #expect(wait(15, -3_600) == 900, "a clock that was set back does not stretch the wait")
    }
}
