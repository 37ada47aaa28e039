import Domain
import Foundation
import Services
import Testing

@Suite struct PasswordHasherTests {
    private let hasher: PasswordHasher

    init() throws {
        hasher = try PasswordHasher(cost: 4)
    }

    @Test func `A hash is bcrypt of the given cost and verifies only its password`() async throws {
        let hash = try await hasher.hash("correct horse")
        #expect(hash.hasPrefix("$2b$04$"))
        #expect(hash.utf8.count == 60)
        #expect(try await hasher.verify("correct horse", against: hash))
        #expect(try await !hasher.verify("correct horsf", against: hash))
        #expect(try await !hasher.verify("", against: hash))
    }

    @Test func `Two hashes of one password differ`() async throws {
        let first = try await hasher.hash("correct horse")
        let second = try await hasher.hash("correct horse")
        #expect(first != second)
    }

    /// Test vector of OpenBSD's bcrypt, as in Openwall's crypt_blowfish (wrapper.c).
    @Test func `Hashes of other systems verify`() async throws {
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        #expect(try await hasher.verify("U*U", against: hash))
        #expect(hasher.needsRehash(hash))
    }

    @Test func `One password in two Unicode forms is one password`() async throws {
        let hash = try await hasher.hash("Gr\u{FC}\u{DF}e aus \u{FB01}nnland")
        #expect(try await hasher.verify("Gru\u{308}\u{DF}e aus finnland", against: hash))
    }

    /// The hash is crypt(3)'s of the UTF-8 text as typed.
    @Test func `A hash of a password that was not normalised verifies at the same cost as no hash`() async throws {
        let hash = "$2a$04$CCCCCCCCCCCCCCCCCCCCC./nsudp/TZ2bfPtX9w4niZK/ClArunM2"
        #expect(try await hasher.verify("grün\u{B2} \u{B5}m", against: hash))
        #expect(try await !hasher.verify("grün2 \u{3BC}m", against: hash))
        for stored in [hash, nil] {
            let before = hasher.hashCount
            #expect(try await !hasher.verify("grün\u{B2} \u{B5}n", against: stored))
            #expect(hasher.hashCount - before == 2)
        }
    }

    @Test func `More than 72 bytes are refused and not cut`() async throws {
        let longest = String(repeating: "a", count: 72)
        let hash = try await hasher.hash(longest)
        #expect(try await hasher.verify(longest, against: hash))
        #expect(try await !hasher.verify(longest + "a", against: hash))
        let error = try await rejection { _ = try await hasher.hash(longest + "a") }
        #expect(error?.reason == .passwordTooLong)
        #expect(
            try await rejection { _ = try await hasher.hash(String(repeating: "ü", count: 37)) }?.code == .unprocessable
        )
    }

    @Test func `A NUL does not end a password`() async throws {
        let hash = try await hasher.hash("abc")
        #expect(try await !hasher.verify("abc\0def", against: hash))
        #expect(try await rejection { _ = try await hasher.hash("abc\0def") }?.reason == .passwordNotText)
    }

    @Test func `A missing hash and an impossible password cost as much as any other`() async throws {
        let hash = try await hasher.hash("correct horse")
        for (password, stored) in [("correct horse", hash), ("wrong", hash), ("x", nil), ("a\0b", hash)] {
            let before = hasher.hashCount
            _ = try await hasher.verify(password, against: stored)
            #expect(hasher.hashCount - before == 1)
        }
    }

    @Test func `A hash of a lower cost is to be renewed`() throws {
        let dearer = try PasswordHasher(cost: 6)
        #expect(dearer.needsRehash("$2b$05$abcdefghijklmnopqrstuv"))
        #expect(!dearer.needsRehash("$2b$06$abcdefghijklmnopqrstuv"))
        #expect(!dearer.needsRehash("$2b$07$abcdefghijklmnopqrstuv"))
        #expect(dearer.needsRehash("$2y$07$abcdefghijklmnopqrstuv"))
        #expect(dearer.needsRehash("nonsense"))
    }

    @Test func `A stored text that is no hash is an error and no match`() async {
        await #expect(throws: (any Error).self) { try await hasher.verify("abc", against: "*0") }
        await #expect(throws: (any Error).self) { try await hasher.verify("abc", against: "") }
    }

    @Test func `A full queue refuses with a time to come back, and lets the others through`() async throws {
        let hasher = try PasswordHasher(cost: 4, threads: 1, queueLimit: 0)
        try await hasher.inTurn { turn in
            let error = try await rejection { _ = try await hasher.hash("correct horse") }
            #expect(error?.code == .unavailable)
            #expect((error?.retryAfter ?? 0) > 0)
            _ = try await turn.hash("correct horse")
        }
        _ = try await hasher.hash("correct horse")
    }

    @Test func `No more turns are taken at once than there are threads`() async throws {
        let hasher = try PasswordHasher(cost: 4, threads: 1, queueLimit: 32)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<32 {
                group.addTask {
                    let hash = try await hasher.hash("password of \(number)")
                    return try await hasher.verify("password of \(number)", against: hash)
                }
            }
            for try await isRight in group {
                #expect(isRight)
            }
        }
    }

    @Test func `A cancelled caller leaves the queue`() async throws {
        let hasher = try PasswordHasher(cost: 4, threads: 1, queueLimit: 1)
        try await hasher.inTurn { _ in
            let waiting = Task { try await hasher.hash("correct horse") }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            // Its slot is free again.
            let next = Task { try await hasher.hash("correct horse") }
            next.cancel()
            await #expect(throws: CancellationError.self) { try await next.value }
        }
        _ = try await hasher.hash("correct horse")
    }
}
