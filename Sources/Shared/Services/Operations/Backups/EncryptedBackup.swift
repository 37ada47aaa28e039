package import Crypto
package import Foundation

/// A backup encrypted to a public key, with HPKE (RFC 9180, section 5.1.1: X25519, HKDF-SHA-256, ChaCha20-Poly1305).
///
/// The file: a line that names the format, the encapsulated key (32 bytes), and pieces of up to a mebibyte, each after
/// the four bytes of its length (the highest first). What is authenticated with a piece says whether it is the last, so
/// that a file that was cut off is noticed; HPKE counts the pieces, so that none can be moved.
package enum EncryptedBackup {
    private static let head = Data("Happiness Metric backup, encrypted, 1\n".utf8)
    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    private static let keyLength = 32
    private static let pieceLength = 1 << 20
    /// Of an authentication code, in bytes.
    private static let codeLength = 16

    /// Whether a file begins like one of these.
    /// - Throws: an error of the file system.
    package static func isOne(_ file: String) throws -> Bool {
        let handle = try FileHandle(forReadingFrom: URL(filePath: file))
        defer { try? handle.close() }
        return try handle.read(upToCount: head.count) == head
    }

    /// Encrypts a file into a new one that only its owner may read, and waits until that is on disk.
    /// - Throws: an error of the file system; then there may be a part of the new file.
    package static func encrypt(
        _ file: String, into result: String, for key: Curve25519.KeyAgreement.PublicKey
    ) throws {
        var sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: head)
        let source = try FileHandle(forReadingFrom: URL(filePath: file))
        defer { try? source.close() }
        let target = try FileHandle.creating(result)
        defer { try? target.close() }
        try target.write(contentsOf: head + sender.encapsulatedKey)
        var piece = try source.read(upToCount: pieceLength) ?? Data()
        var isLast = false
        while !isLast {
            let next = try source.read(upToCount: pieceLength) ?? Data()
            isLast = next.isEmpty
            let sealed = try sender.seal(piece, authenticating: mark(isLast: isLast))
            let length = withUnsafeBytes(of: UInt32(sealed.count).bigEndian) { Data($0) }
            try target.write(contentsOf: length + sealed)
            piece = next
        }
        try target.synchronize()
    }

    /// Decrypts a file into a new one that only its owner may read.
    /// - Throws: `OperatorError` if the key is another one, or the file is damaged or incomplete; an error of the file
    ///   system. Then there may be a part of the new file.
    package static func decrypt(
        _ file: String, into result: String, with key: Curve25519.KeyAgreement.PrivateKey
    ) throws {
        let source = try FileHandle(forReadingFrom: URL(filePath: file))
        defer { try? source.close() }
        let damaged = OperatorError("\(file) is damaged or incomplete, or was encrypted to another key.")
        guard try source.read(upToCount: head.count) == head, let encapsulated = try source.read(upToCount: keyLength),
            encapsulated.count == keyLength,
            var recipient = try? HPKE.Recipient(
                privateKey: key, ciphersuite: suite, info: head, encapsulatedKey: encapsulated)
        else { throw damaged }
        let target = try FileHandle.creating(result)
        defer { try? target.close() }
        var next = try piece(source)
        while let sealed = next {
            next = try piece(source)
            guard let opened = try? recipient.open(sealed, authenticating: mark(isLast: next == nil)) else {
                throw damaged
            }
            try target.write(contentsOf: opened)
            if next == nil { return }
        }
        throw damaged

        func piece(_ source: FileHandle) throws -> Data? {
            guard let length = try source.read(upToCount: 4), !length.isEmpty else { return nil }
            let count = length.reduce(0) { $0 << 8 | Int($1) }
            guard length.count == 4, (codeLength...(pieceLength + codeLength)).contains(count),
                let bytes = try source.read(upToCount: count), bytes.count == count
            else { throw damaged }
            return bytes
        }
    }

    private static func mark(isLast: Bool) -> Data { Data([isLast ? 1 : 0]) }
}

extension FileHandle {
    /// Appends the content of a file.
    /// - Throws: an error of the file system.
    package func write(contentsOfFile path: String) throws {
        let source = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? source.close() }
        while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty { try write(contentsOf: piece) }
    }

    /// A new file that only its owner may read.
    /// - Throws: `OperatorError`.
    static func creating(_ path: String) throws -> FileHandle {
        guard
            FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw OperatorError("\(path) cannot be written: \(String(cString: strerror(errno)))") }
        return handle
    }
}
