import Crypto
import Domain
import Foundation
import Storage

/// Delays logins after failed attempts, longer each time: per account and per address.
///
/// Nobody is locked out permanently, which would let anyone lock out anyone, and unknown accounts are treated like
/// known ones. NIST SP 800-63B-4 §3.2.2 allows 100 failures in a row; with these delays they take a day.
package struct LoginThrottle: Sendable {
    /// Failures in a row for an account before the first delay: people try a few spellings.
    static let accountAllowance = 5
    /// The same for a network address, which a whole office may share.
    static let addressAllowance = 20
    /// Seconds. Long enough to make guessing hopeless, short enough for the real owner to wait.
    static let longestWait: TimeInterval = 900

    private let store: any Store
    private let key: SymmetricKey

    init(store: any Store, secret: SymmetricKey) {
        self.store = store
        key = DerivedKey.loginThrottle.make(from: secret)
    }

    /// The keys under which one attempt is counted.
    struct Attempt: Sendable {
        fileprivate let account: [UInt8]
        fileprivate let address: [UInt8]?
    }

    /// An attempt with a name or address as typed. It is counted under that and not under the user: if name and address
    /// shared a counter, a delay for one would reveal that the other exists.
    func attempt(login: String, from address: String) -> Attempt {
        let folded = login.contains("@") ? EmailAddress.folded(login) : UserName.folded(login)
        return Attempt(
            account: storeKey("login|\(folded)"), address: storeKey("address|\(ClientNetwork.name(of: address))"))
    }

    /// An attempt by a logged-in user who must enter their password again.
    func attempt(of userID: User.ID) -> Attempt {
        Attempt(account: storeKey("user|\(userID)"), address: nil)
    }

    /// An attempt to confirm a registration with its password. Counted under the registration and not its mail address;
    /// otherwise strangers who fail to log in with that address could prevent its owner from confirming.
    func attempt(of registrationID: Registration.ID, from address: String) -> Attempt {
        Attempt(
            account: storeKey("registration|\(registrationID)"),
            address: storeKey("address|\(ClientNetwork.name(of: address))"))
    }

    /// - Throws: `AppError.tooManyRequests` with the remaining delay in seconds.
    func check(_ attempt: Attempt, at now: Date) async throws {
        var wait = try await Self.wait(
            after: store.read { try $0.loginFailures(attempt.account) }, allowance: Self.accountAllowance, at: now)
        if let address = attempt.address {
            let failures = try await store.read { try $0.loginFailures(address) }
            wait = max(wait, Self.wait(after: failures, allowance: Self.addressAllowance, at: now))
        }
        guard wait <= 0 else {
            throw AppError(
                .tooManyRequests, "Too many failed log-ins. Please wait and try again.", reason: .tooManyLogIns,
                retryAfter: Int(wait.rounded(.up)))
        }
    }

    /// Counts a failure.
    func recordFailure(_ attempt: Attempt, at now: Date) async throws {
        _ = try await store.write { try $0.recordLoginFailure(attempt.account, at: now) }
        if let address = attempt.address {
            _ = try await store.write { try $0.recordLoginFailure(address, at: now) }
        }
    }

    /// Resets the account's failures after a successful login. Those of the network address stay; otherwise an attacker
    /// could log in to their own account after every nineteen guesses at others'. An office behind one address adds up
    /// its typing errors until there is none for `LoginFailures.memory`: twenty are free, and then each costs a delay.
    func reset(_ attempt: Attempt) async throws {
        try await store.write { try $0.deleteLoginFailures(attempt.account) }
    }

    /// Resets all failures of a user, because they have another password.
    func forgetAll(of user: User) async throws {
        for (_, key) in keys(of: user) {
            try await store.write { try $0.deleteLoginFailures(key) }
        }
    }

    /// The failures counted for a user, each with its kind of key.
    func failures(of user: User) async throws -> [(subject: String, failures: LoginFailures)] {
        var known: [(subject: String, failures: LoginFailures)] = []
        for (subject, key) in keys(of: user) {
            if let failures = try await store.read({ try $0.loginFailures(key) }) { known.append((subject, failures)) }
        }
        return known
    }

    /// The keys under which a user's failures are counted, except those of network addresses, which are shared.
    func keys(of user: User) -> [(subject: String, key: [UInt8])] {
        [
            ("user name", storeKey("login|\(UserName.folded(user.name))")),
            ("e-mail address", storeKey("login|\(EmailAddress.folded(user.email))")),
            ("account", storeKey("user|\(user.id)")),
        ]
    }

    /// Remaining delay in seconds: 1 after the allowance is used up, then 2, 4, … up to `longestWait`.
    static func wait(after failures: LoginFailures?, allowance: Int, at now: Date) -> TimeInterval {
        guard let failures, failures.count >= allowance, now.timeIntervalSince(failures.last) <= LoginFailures.memory
        else {
            return 0
        }
        let wait = min(pow(2, Double(failures.count - allowance)), longestWait)
        // A clock that was set back must not extend the delay.
        return min(wait, failures.last.addingTimeInterval(wait).timeIntervalSince(now))
    }

    private func storeKey(_ text: String) -> [UInt8] {
        SecureBytes.hmac(Data(text.utf8), key: key)
    }
}
