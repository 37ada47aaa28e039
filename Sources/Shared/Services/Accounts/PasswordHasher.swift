import CCrypt
import Domain
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// Hashes and verifies passwords with bcrypt (`$2b$`, libcrypt), on threads that serve no requests.
///
/// Passwords are first normalised to NFKC (NIST SP 800-63B-4 §3.1.1.2), so that a password typed on two keyboards is
/// the same.
package final class PasswordHasher: Sendable {
    /// bcrypt's own limits are 4 and 31; above 16 a login takes seconds.
    package static let costs = 4...16
    /// Bytes of a bcrypt salt.
    static let saltLength = 16

    /// log2 of the rounds.
    package let cost: Int
    private let pool: BoundedThreadPool
    /// A salt without a hash: verifying against it takes as long as any, and never succeeds.
    private let unmatchable: String
    private let hashes = Atomic<Int>(0)

    /// - Parameters:
    ///   - cost: 12 takes about 0.2 s, each step doubles it; tests use 4. Clamped to `costs`.
    ///   - threads: passwords hashed concurrently. One leaves a core for everything else on a small machine.
    ///   - queueLimit: how many may wait for a turn: 64 at the default cost are a wait of 12 s, the longest that a
    ///     person and their client will accept.
    package init(cost: Int = 12, threads: Int = 1, queueLimit: Int = 64) throws {
        self.cost = min(max(cost, Self.costs.lowerBound), Self.costs.upperBound)
        pool = BoundedThreadPool(
            name: "passwords", threads: max(1, threads), queueLimit: max(0, queueLimit), rejection: Self.queueFull)
        unmatchable = try Bcrypt.salt(cost: self.cost)
    }

    /// By then half of a full queue is finished at the default cost.
    private static let queueFull = AppError(
        .unavailable, "Too many people are logging in right now. Please try again in a moment.",
        reason: .logInQueueFull, retryAfter: 5)

    /// Hashes computed since the start: for metrics, and for tests of equal work.
    package var hashCount: Int { hashes.load(ordering: .relaxed) }

    /// Waits for a turn at the hasher and lends it to `body`. With a single thread, what is read, hashed and written in
    /// one turn is not interleaved with another turn of this process.
    /// - Throws: `AppError.unavailable` with `retryAfter` if the queue is full; what `body` throws.
    package func inTurn<Success>(_ body: (Turn) async throws -> Success) async throws -> Success {
        try await pool.inTurn { try await body(Turn(hasher: self)) }
    }

    /// `crypt(5)` text for a password.
    /// - Throws: `AppError.unprocessable` if it is too long or contains a control character, `AppError.unavailable` if the
    ///   queue is full.
    package func hash(_ password: String) async throws -> String {
        try await inTurn { try await $0.hash(password) }
    }

    /// Whether the password matches the hash. Takes the same time if there is no hash.
    /// - Throws: `AppError.unavailable` if the queue is full.
    package func verify(_ password: String, against hash: String?) async throws -> Bool {
        try await inTurn { try await $0.verify(password, against: hash) }
    }

    /// Whether the password should be hashed again because the cost was raised or the hash is of another kind.
    package func needsRehash(_ hash: String) -> Bool {
        let parts = hash.split(separator: "$")
        guard parts.count == 3, parts[0] == "2b", let storedCost = Int(parts[1]) else { return true }
        return storedCost < cost
    }

    /// Permission to hash now.
    package struct Turn: Sendable {
        fileprivate let hasher: PasswordHasher

        /// Like `PasswordHasher.hash`, without waiting.
        package func hash(_ password: String) async throws -> String {
            let bytes = try PasswordPolicy.bytes(of: password)
            let salt = try Bcrypt.salt(cost: hasher.cost)
            return try await crypt(bytes, setting: salt)
        }

        /// The `crypt(5)` text with a salt of the caller's, to look it up. Takes the same time for every password.
        /// - Parameter salt: `saltLength` bytes.
        /// - Returns: `nil` for a password that nobody can have.
        package func hash(_ password: String, salt: [UInt8]) async throws -> String? {
            let bytes: [UInt8]
            do throws(AppError) {
                bytes = try PasswordPolicy.bytes(of: password)
            } catch {
                _ = try await verifyNothing()
                return nil
            }
            return try await crypt(bytes, setting: try Bcrypt.salt(cost: hasher.cost, bytes: salt))
        }

        /// Like `PasswordHasher.verify`, without waiting.
        package func verify(_ password: String, against hash: String?) async throws -> Bool {
            let bytes: [UInt8]
            do throws(AppError) {
                bytes = try PasswordPolicy.bytes(of: password)
            } catch {
                // Such a password was never hashed: do the same work, then return false.
                return try await verifyNothing()
            }
            // Other systems hashed what was typed: ² and µ, keys of a German keyboard, are other characters in NFKC.
            let typed = Array(password.utf8)
            let forms = typed == bytes || typed.count > PasswordPolicy.maximumBytes ? [bytes] : [bytes, typed]
            for form in forms {
                if let hash {
                    if try await matches(form, hash) { return true }
                } else {
                    _ = try await verifyNothing()
                }
            }
            return false
        }

        private func matches(_ password: [UInt8], _ hash: String) async throws -> Bool {
            let computed = try await crypt(password, setting: hash)
            return SecureBytes.areEqual(Array(computed.utf8), Array(hash.utf8))
        }

        private func verifyNothing() async throws -> Bool {
            _ = try await crypt(Array("unmatchable".utf8), setting: hasher.unmatchable)
            return false
        }

        private func crypt(_ password: [UInt8], setting: String) async throws -> String {
            hasher.hashes.add(1, ordering: .relaxed)
            return try await hasher.pool.run { try Bcrypt.crypt(password, setting: setting) }
        }
    }
}

extension PasswordHasher.Turn {
    /// Requires another password than the one that someone else set for the user and may still know. Hashes once if
    /// there is such a one.
    /// - Throws: `AppError.unprocessable` (`password-is-handed-out`).
    func requireOwn(_ password: String, of user: User) async throws {
        guard user.passwordIsHandedOut, try await verify(password, against: user.passwordHash) else { return }
        throw AppError(
            .unprocessable, "This is the password that you were given. Please choose another one.",
            reason: .passwordIsHandedOut)
    }
}

/// Wraps crypt(3) and crypt_gensalt(3) of libcrypt.
private enum Bcrypt {
    /// An error of libcrypt. It is internal, since passwords were checked and settings are our own.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter bytes: `PasswordHasher.saltLength` of them.
    static func salt(
        cost: Int, bytes: [UInt8] = SecureBytes.random(count: PasswordHasher.saltLength)
    ) throws -> String {
        let random = bytes.map { CChar(bitPattern: $0) }
        var output = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
        let size = Int32(output.count)
        guard
            let salt = crypt_gensalt_rn("$2b$", UInt(cost), random, Int32(random.count), &output, size)
        else {
            throw Failure(description: "crypt_gensalt_rn refused cost \(cost): errno \(errno)")
        }
        return String(cString: salt)
    }

    /// Takes as long as the setting's cost requires.
    static func crypt(_ password: [UInt8], setting: String) throws -> String {
        // 32 KiB, too large for a small thread's stack, and full of traces of the password.
        let data = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
        let size = MemoryLayout<crypt_data>.size
        memset(data, 0, size)
        var phrase = password.map { CChar(bitPattern: $0) } + [0]
        defer {
            explicit_bzero(&phrase, phrase.count)
            explicit_bzero(data, size)
            data.deallocate()
        }
        guard let output = crypt_r(phrase, setting, data) else {
            throw Failure(description: "crypt_r: errno \(errno)")
        }
        // The result lies in `data`: it is copied before that is wiped.
        let text = String(cString: output)
        // crypt(3): on failure the result starts with * and matches no setting.
        guard !text.hasPrefix("*") else { throw Failure(description: "crypt_r: the stored hash is not one it knows") }
        return text
    }
}
