import Crypto
import Domain
import Foundation
import Services
import Storage
import TestSupport

/// The services for accounts, on a store of their own.
struct Accounts {
    static let password = "a horse, a staple"
    static let address = "192.0.2.1"
    /// 64 bytes, so that jwt-kit can also sign forgeries with HMAC-SHA-512.
    static let secret = SymmetricKey(data: [UInt8](repeating: 0x5a, count: 64))

    let stores: Stores
    let clock: SettableClock
    let hasher: PasswordHasher
    let logins: LoginService
    let users: UserService
    let teams: TeamService

    init(stores: Stores, cost: Int = PasswordHasher.costs.lowerBound) throws {
        self.stores = stores
        clock = SettableClock(Date(timeIntervalSince1970: 1_790_000_000))
        hasher = try PasswordHasher(cost: cost)
        logins = try Self.makeLogins(stores: stores, hasher: hasher, clock: clock)
        users = UserService(
            stores: stores, hasher: hasher, secret: TestTeam.secret, authenticator: logins.authenticator)
        teams = TeamService(stores: stores, secret: TestTeam.secret, clock: clock.wall)
    }

    /// A service as in another process with the same store.
    /// - Parameter memberships: by default of a process that does not hear what others revoke.
    static func makeLogins(
        stores: Stores, hasher: PasswordHasher, clock: SettableClock, memberships: MembershipCache? = nil
    ) throws -> LoginService {
        try LoginService(
            stores: stores, secrets: Secrets(jwt: secret, ballot: BallotSecret(key: secret)), hasher: hasher,
            lifetimes: SessionLifetimes(),
            memberships: memberships ?? MembershipCache(stores: stores, clock: clock.wall), clock: clock.wall)
    }

    /// Runs `body` with accounts on a new SQLite store.
    static func with(_ body: (Accounts) async throws -> Void) async throws {
        try await StoreUnderTest.sqlite.withStores { try await body(Accounts(stores: $0)) }
    }

    @discardableResult
    func addUser(_ name: String = "Anna", role: User.Role = .member) async throws -> User {
        let new = UserService.NewUser(
            name: try UserName(name), email: try EmailAddress("\(name)@example.org"), role: role)
        return try await users.add(new, password: Self.password, by: .operator)
    }

    func logIn(
        _ login: String = "Anna", password: String = password, address: String = address,
        lifetime: SessionKind = .rotating
    ) async throws -> Login {
        try await logins.logIn(
            login: login, password: password, device: "a phone", address: address, lifetime: lifetime)
    }

    /// Why the token is not valid; `nil` if it is.
    func refusalOfToken(_ token: String) async throws -> AppError.Reason? {
        try await rejection { _ = try await authenticate(token) }?.reason
    }

    /// Why the refresh token is not valid; `nil` if it is.
    func refusalOfRefresh(_ token: String) async throws -> AppError.Reason? {
        try await rejection { _ = try await logins.refresh(token) }?.reason
    }

    func authenticate(_ token: String) async throws -> Principal {
        try await logins.authenticator.authenticate(token, touching: true)
    }
}

/// The error that `body` throws; `nil` if it throws none.
func rejection(of body: () async throws -> Void) async throws -> AppError? {
    do {
        try await body()
        return nil
    } catch {
        guard let rejection = AppError(error) else { throw error }
        return rejection
    }
}
