import Crypto
public import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// Makes whoever fails to log in wait, longer each time: per account and per address.
///
/// Nobody is locked out for good (that would let anybody lock out anybody), and an unknown account is treated as a
/// known one is. NIST SP 800-63B-4 §3.2.2 allows 100 failures in a row; with these waits they take a day.
public struct LoginThrottle: Sendable {
    /// Seconds after which failures are forgotten: a day, so that somebody who comes every hour still meets the waits.
    public static let memory: TimeInterval = 86_400
    /// Failures in a row for an account until there is a wait: a person tries a few spellings.
    static let accountAllowance = 5
    /// The same for an address, behind which there may be a whole office.
    static let addressAllowance = 20
    /// Seconds. Long enough to make guessing hopeless, short enough that the real owner waits it out.
    static let longestWait: TimeInterval = 900

    private let sessions: any SessionStore
    private let key: SymmetricKey

    init(sessions: any SessionStore, secret: SymmetricKey) {
        self.sessions = sessions
        key = DerivedKey.loginThrottle.make(from: secret)
    }

    /// What one attempt is counted under.
    struct Attempt: Sendable {
        fileprivate let account: [UInt8]
        fileprivate let address: [UInt8]?
    }

    /// An attempt with a name or address as typed. Counted by that and not by the user it belongs to: if name and
    /// address shared a count, a wait under one would tell that the other exists.
    func attempt(login: String, from address: String) -> Attempt {
        let folded = login.contains("@") ? EmailAddress.folded(login) : UserName.folded(login)
        return Attempt(
            account: storeKey("login|\(folded)"), address: storeKey("address|\(Self.network(of: address))"))
    }

    /// An attempt of somebody who is logged in and must show their password again.
    func attempt(of userID: User.ID) -> Attempt {
        Attempt(account: storeKey("user|\(userID)"), address: nil)
    }

    /// An attempt to confirm a registration with its password. Counted by the registration and not by its address, or
    /// strangers who fail to log in with that address could keep its owner from confirming.
    func attempt(of registrationID: Registration.ID, from address: String) -> Attempt {
        Attempt(
            account: storeKey("registration|\(registrationID)"),
            address: storeKey("address|\(Self.network(of: address))"))
    }

    /// - Throws: `AppError.tooManyRequests` with the seconds to wait.
    func check(_ attempt: Attempt, at now: Date) async throws {
        var wait = try await Self.wait(
            after: sessions.failures(key: attempt.account), allowance: Self.accountAllowance, at: now)
        if let address = attempt.address {
            let failures = try await sessions.failures(key: address)
            wait = max(wait, Self.wait(after: failures, allowance: Self.addressAllowance, at: now))
        }
        guard wait <= 0 else {
            throw AppError(
                .tooManyRequests, "Too many failed log-ins. Please wait and try again.", reason: "too-many-log-ins",
                retryAfter: Int(wait.rounded(.up)))
        }
    }

    /// Counts a failure.
    func recordFailure(_ attempt: Attempt, at now: Date) async throws {
        _ = try await sessions.recordFailure(key: attempt.account, at: now)
        if let address = attempt.address {
            _ = try await sessions.recordFailure(key: address, at: now)
        }
    }

    /// Forgets the account's failures: the log-in succeeded. Those of the address stay, or whoever has an account of
    /// their own could log in with it after every nineteen guesses at others'. An office behind one address has its
    /// mistypings added up until there was none for `memory`: twenty are free, and then each costs a wait.
    func clear(_ attempt: Attempt) async throws {
        try await sessions.clearFailures(key: attempt.account)
    }

    /// Forgets whatever failures are counted for a user: they have another password.
    func forgetAll(of user: User) async throws {
        for (_, key) in keys(of: user) {
            try await sessions.clearFailures(key: key)
        }
    }

    /// The failures counted for a user, with what they are counted under.
    func failures(of user: User) async throws -> [(subject: String, failures: LoginFailures)] {
        var known: [(subject: String, failures: LoginFailures)] = []
        for (subject, key) in keys(of: user) {
            if let failures = try await sessions.failures(key: key) { known.append((subject, failures)) }
        }
        return known
    }

    /// What failures are counted under for a user. Not those of network addresses, which are nobody's alone.
    func keys(of user: User) -> [(subject: String, key: [UInt8])] {
        [
            ("user name", storeKey("login|\(UserName.folded(user.name))")),
            ("e-mail address", storeKey("login|\(EmailAddress.folded(user.email))")),
            ("account", storeKey("user|\(user.id)")),
        ]
    }

    /// Seconds still to wait: 1 after the allowance is used up, then 2, 4, … up to `longestWait`.
    static func wait(after failures: LoginFailures?, allowance: Int, at now: Date) -> TimeInterval {
        guard let failures, failures.count >= allowance, now.timeIntervalSince(failures.last) <= memory else {
            return 0
        }
        let wait = min(pow(2, Double(failures.count - allowance)), longestWait)
        // A clock that was set back must not stretch the wait.
        return min(wait, failures.last.addingTimeInterval(wait).timeIntervalSince(now))
    }

    /// An IPv4 address as it is; of an IPv6 address the first 64 bits, since one subscriber has all of the rest
    /// (RFC 4291 §2.5.4). Anything else counts as its own text.
    static func network(of address: String) -> String {
        let unscoped = String(address.prefix { $0 != "%" })
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, unscoped, &v6) == 1 else { return address }
        let bytes = withUnsafeBytes(of: v6) { Array($0) }
        // ::ffff:a.b.c.d, IPv4 as a socket for both kinds reports it (RFC 4291 §2.5.5.2).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return bytes.prefix(8).hexadecimal + "/64"
    }

    private func storeKey(_ text: String) -> [UInt8] {
        SecureBytes.hmac(Data(text.utf8), key: key)
    }
}
