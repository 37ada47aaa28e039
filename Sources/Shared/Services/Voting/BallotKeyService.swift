import Crypto
import CryptoExtras
package import Domain
import Foundation
package import Logging
package import Ports
package import Storage
import Synchronization

/// Ballot keys: creates them, signs ballot papers without seeing them, and checks signed papers.
///
/// The signatures are RSABSSA-SHA384-PSS-Deterministic (RFC 9474 §5). A paper has 256 random bits, which this variant
/// requires (§6.3.1), and the same blinded message always gets the same signature, so an answer that was lost can be
/// asked for again without anything being stored.
package struct BallotKeyService: Sendable {
    private typealias PrivateKey = _RSA.BlindSigning.PrivateKey<SHA384>
    private typealias PublicKey = _RSA.BlindSigning.PublicKey<SHA384>

    /// A key with its public half ready for use.
    private struct Verifier: Sendable {
        let key: BallotKey
        let publicKey: PublicKey
    }

    private let store: any BallotKeyStore
    private let secret: BallotSecret
    private let clock: WallClock
    private let logger: Logger
    private let pool: BoundedThreadPool
    private let onSignature: @Sendable () -> Void
    private let creations = KeyCreations()
    /// Public keys never change.
    private let verifiers = BoundedCache<BallotKey.ID, Verifier>(capacity: Self.capacity)
    /// Kept for a minute only: the private half is destroyed at the close.
    private let signers = BoundedCache<Sprint.Key, (key: BallotKey, privateKey: PrivateKey)>(capacity: Self.capacity)

    /// More than the number of teams that vote within a minute.
    private static let capacity = 4_096
    /// Seconds.
    private static let signerLifetime: TimeInterval = 60
    /// Seconds.
    private static let verifierLifetime: TimeInterval = 86_400
    /// A signature takes 1 to 2 ms, so the last one of a full queue waits for about a second.
    private static let queueLimit = 512

    private static let queueFull = AppError(
        .unavailable, "Too many people are voting right now. Please try again in a moment.", reason: .overloaded,
        retryAfter: 2)

    static let sprintEnded = AppError(
        .unprocessable, "This sprint has ended and accepts no more votes.", reason: .sprintNotOpen)

    private static let unreadable = AppError(
        .unavailable,
        "Sealed votes can’t be cast right now, because the server can’t read its ballot key. Please tell the people "
            + "who run it.", reason: .ballotKeyUnreadable)

    /// - Parameters:
    ///   - secret: encrypts the private keys.
    ///   - onSignature: called on the pool's thread before each signature of a paper. For tests.
    package init(
        store: any BallotKeyStore, secret: BallotSecret, clock: WallClock, logger: Logger,
        onSignature: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.secret = secret
        self.clock = clock
        self.logger = logger
        self.onSignature = onSignature
        pool = BoundedThreadPool(
            name: "papers", threads: 1, queueLimit: Self.queueLimit, rejection: Self.queueFull)
    }

    /// The key of an open sprint; creates it if the sprint has none.
    /// - Throws: `AppError`: `unprocessable` (`sprint-not-open`) if the sprint is closed, `unavailable`
    ///   (`ballot-key-unreadable` if `BALLOT_SECRET` has changed).
    package func key(of sprint: Sprint.Key) async throws -> BallotKey {
        try await signer(of: sprint).key
    }

    /// Creates the key of a sprint, unless it has one or is closed.
    /// - Throws: `AppError.unavailable`.
    package func createKey(of sprint: Sprint.Key) async throws {
        _ = try await stored(for: sprint)
    }

    /// The key of a sprint, open or closed, which is public; creates it if the sprint is open and has none. Needs no
    /// private half.
    /// - Throws: `AppError`: `notFound` (`no-such-ballot-key`), also if the sprint does not exist; `unavailable`.
    package func publicKey(of sprint: Sprint.Key) async throws -> BallotKey {
        guard let stored = try await stored(for: sprint) else { throw AppError.noSuchBallotKey }
        return stored.key
    }

    /// Any sprint's key; the same bytes for everyone.
    /// - Throws: `AppError`: `notFound`, `unavailable`.
    package func key(id: BallotKey.ID) async throws -> BallotKey {
        try await verifier(id).key
    }

    /// Signs a blinded message. The caller decides whether the member may have the signature.
    /// - Throws: `AppError`: `unprocessable` (`blinded-message-not-valid`, `sprint-not-open`), `unavailable`.
    package func sign(_ blindedMessage: [UInt8], in sprint: Sprint.Key) async throws -> [UInt8] {
        let privateKey = try await signer(of: sprint).privateKey
        return try await pool.inTurn {
            try await pool.run { [onSignature] in
                onSignature()
                do {
                    return Array(try privateKey.blindSignature(for: blindedMessage).rawRepresentation)
                } catch {
                    // Its length is wrong, or it is not below the modulus.
                    throw AppError(
                        .unprocessable, "This isn’t a blinded ballot paper for the sprint’s ballot key.",
                        reason: .blindedMessageNotValid)
                }
            }
        }
    }

    /// Checks a ballot paper.
    /// - Throws: `AppError`: `notFound` for an unknown key, `unprocessable` (`ballot-paper-not-valid`), `unavailable`.
    package func spend(_ paper: BallotPaper, signature: [UInt8], keyID: BallotKey.ID) async throws -> SpentPaper {
        let verifier = try await verifier(keyID)
        let message = verifier.publicKey.prepare(paper.bytes)
        guard
            verifier.publicKey.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: message)
        else {
            throw AppError(
                .unprocessable, "This ballot paper wasn’t signed with this ballot key.",
                reason: .ballotPaperNotValid)
        }
        return SpentPaper(SignedPaper(paper, signature: signature), key: verifier.key)
    }

    /// Whether a paper has been used.
    /// - Throws: `StorageError.unavailable`.
    package func isSpent(_ paper: SpentPaper) async throws -> Bool {
        try await store.isSpent(paper)
    }

    private func signer(of sprint: Sprint.Key) async throws -> (key: BallotKey, privateKey: PrivateKey) {
        if let signer = signers.value(for: sprint, at: clock.now) { return signer }
        let removals = signers.removals
        guard let stored = try await stored(for: sprint), let wrapped = stored.wrappedPrivateKey else {
            throw Self.sprintEnded
        }
        guard let bytes = secret.unwrap(wrapped, of: stored.key) else {
            logger.error("The key of a sprint was encrypted with another BALLOT_SECRET: no ballot papers can be issued")
            throw Self.unreadable
        }
        let privateKey = try PrivateKey(derRepresentation: bytes, parameters: .RSABSSA_SHA384_PSS_Deterministic)
        let now = clock.now
        signers.store(
            (stored.key, privateKey), for: sprint, validity: now..<now.addingTimeInterval(Self.signerLifetime),
            unlessRemovedSince: removals)
        return (stored.key, privateKey)
    }

    /// The sprint's key, which is created if there is none; `nil` if the sprint is closed.
    private func stored(for sprint: Sprint.Key) async throws -> StoredBallotKey? {
        if let present = try await store.key(of: sprint) { return present }
        // A key takes as long as a hundred signatures, so many who ask at once share one, and one place in the queue. A
        // closed sprint takes none: each one created for it would be thrown away.
        return try await creations.key(of: sprint) { [store, pool, secret] in
            if let present = try await store.key(of: sprint) { return present }
            guard try await store.takesKey(sprint) else { return nil }
            let new = try await pool.inTurn {
                try await pool.run {
                    let privateKey = try PrivateKey(keySize: .bits2048, parameters: .RSABSSA_SHA384_PSS_Deterministic)
                    let key = BallotKey(sprint: sprint, publicKey: Array(privateKey.publicKey.derRepresentation))
                    return StoredBallotKey(
                        key: key, wrappedPrivateKey: try secret.wrap(privateKey.derRepresentation, of: key))
                }
            }
            return try await store.insert(new)
        }
    }

    private func verifier(_ id: BallotKey.ID) async throws -> Verifier {
        if let verifier = verifiers.value(for: id, at: clock.now) { return verifier }
        let removals = verifiers.removals
        guard let stored = try await store.key(id: id) else { throw AppError.noSuchBallotKey }
        let publicKey = try PublicKey(
            derRepresentation: stored.key.publicKey, parameters: .RSABSSA_SHA384_PSS_Deterministic)
        let verifier = Verifier(key: stored.key, publicKey: publicKey)
        let now = clock.now
        verifiers.store(
            verifier, for: id, validity: now..<now.addingTimeInterval(Self.verifierLifetime),
            unlessRemovedSince: removals)
        return verifier
    }
}

extension AppError {
    /// For everything that names no ballot key, so that it says nothing about teams and sprints.
    package static let noSuchBallotKey = AppError(
        .notFound, "There is no such ballot key.", reason: .noSuchBallotKey)
}

/// Creates each key once: all who ask for a sprint's key meanwhile get the same one. `SharedCalls` would let a team wait
/// for the keys of other teams.
private final class KeyCreations: Sendable {
    private let running = Mutex<[Sprint.Key: Task<StoredBallotKey?, any Error>]>([:])

    /// Runs `create`, or returns what it is creating for this sprint already.
    func key(
        of sprint: Sprint.Key, _ create: @escaping @Sendable () async throws -> StoredBallotKey?
    ) async throws -> StoredBallotKey? {
        let creation = running.withLock { running -> Task<StoredBallotKey?, any Error> in
            if let present = running[sprint] { return present }
            // Unstructured, because others wait for it too when the first caller is cancelled.
            let creation = Task {
                defer { self.running.withLock { $0[sprint] = nil } }
                return try await create()
            }
            running[sprint] = creation
            return creation
        }
        return try await creation.value
    }
}
