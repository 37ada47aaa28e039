package import Crypto
import Foundation

/// Copies of the users' pictures beside the backups of the store, for both kinds of object store.
///
/// Pictures never change, so each is copied once. A copy is deleted with the first backup after its picture: people who
/// delete a picture mean it.
package struct PictureBackup: Sendable {
    /// What an update did.
    package struct Changes: Hashable, Sendable {
        /// Objects written.
        package var added = 0
        /// Objects deleted.
        package var removed = 0

        /// Whether there were none.
        package var isEmpty: Bool { self == Changes() }
    }

    private static let pageSize = 1_000

    private let users: any UserStore
    private let pictures: any ObjectStore
    private let copies: any ObjectStore
    private let key: Curve25519.KeyAgreement.PublicKey?

    /// - Parameters:
    ///   - pictures: what is copied.
    ///   - copies: where to; never a store that is used for something else.
    ///   - key: copies are encrypted to it; `nil` leaves them as they are.
    package init(
        stores: Stores, pictures: any ObjectStore, copies: any ObjectStore, key: Curve25519.KeyAgreement.PublicKey?
    ) {
        users = stores.users
        self.pictures = pictures
        self.copies = copies
        self.key = key
    }

    /// Copies pictures that have no copy, and deletes copies of pictures that no user has any more.
    ///
    /// Nothing is deleted if no copy at all belongs to a user: then they are those of another store, such as the one
    /// that is about to be restored. A picture that disappeared from its store, but not from its user, keeps its copy.
    /// - Throws: `ObjectStoreError`, `StorageError.unavailable`; what was done so far stays.
    package func update() async throws -> Changes {
        var changes = Changes()
        let copied = try await Self.keys(in: copies)
        let present = try await Self.keys(in: pictures)
        for objectKey in present.subtracting(copied).sorted(by: { $0.text < $1.text }) {
            // Deleted meanwhile if there is none.
            guard let object = try await pictures.get(objectKey) else { continue }
            let copy = try key.map { try Self.encrypted(object, at: objectKey, for: $0) } ?? object
            try await copies.put(copy, at: objectKey)
            changes.added += 1
        }
        let old = copied.subtracting(present)
        let used = try await used(among: copied)
        guard !used.isEmpty else { return changes }
        for objectKey in old {
            guard let id = ProfilePicture.id(of: objectKey), !used.contains(id) else { continue }
            try await copies.delete(objectKey)
            changes.removed += 1
        }
        return changes
    }

    /// Puts copies back whose picture is missing.
    /// - Parameter key: opens encrypted copies.
    /// - Returns: the number of objects put back.
    /// - Throws: `OperatorError` if a copy is encrypted and the key is missing or another one; `ObjectStoreError`. What
    ///   was put back so far stays.
    package static func restore(
        from copies: any ObjectStore, to pictures: any ObjectStore, key: Curve25519.KeyAgreement.PrivateKey?
    ) async throws -> Int {
        var restored = 0
        let missing = try await keys(in: copies).subtracting(keys(in: pictures))
        for objectKey in missing.sorted(by: { $0.text < $1.text }) {
            guard let copy = try await copies.get(objectKey) else { continue }
            try await pictures.put(try decrypted(copy, at: objectKey, with: key), at: objectKey)
            restored += 1
        }
        return restored
    }

    private static func keys(in store: any ObjectStore) async throws -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        var last: ObjectKey?
        repeat {
            let page = try await store.list(prefix: ProfilePicture.keyPrefix, after: last, limit: pageSize)
            keys.formUnion(page.map(\.key))
            last = page.count < pageSize ? nil : page.last?.key
        } while last != nil
        return keys
    }

    private func used(among keys: Set<ObjectKey>) async throws -> Set<ProfilePicture.ID> {
        let ids = Set(keys.compactMap(ProfilePicture.id)).sorted()
        var used: Set<ProfilePicture.ID> = []
        for first in stride(from: 0, to: ids.count, by: Self.pageSize) {
            used.formUnion(
                try await users.pictures(among: Array(ids[first..<min(first + Self.pageSize, ids.count)])))
        }
        return used
    }
}

/// Encryption of one picture, with HPKE (RFC 9180): the media type says that a copy is encrypted, the object's key is
/// authenticated, and the bytes are the encapsulated key and the sealed picture.
extension PictureBackup {
    private static let suite = HPKE.Ciphersuite.Curve25519_SHA256_ChachaPoly
    private static let info = Data("Happiness Metric picture, encrypted, 1".utf8)
    private static let encryptedType = "application/vnd.happiness-metric.encrypted"
    private static let keyLength = 32

    private static func encrypted(
        _ object: StoredObject, at objectKey: ObjectKey, for key: Curve25519.KeyAgreement.PublicKey
    ) throws -> StoredObject {
        var sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: info)
        // The media type is a short text without a line break.
        let content = Data("\(object.mediaType)\n".utf8) + object.bytes
        let sealed = try sender.seal(content, authenticating: Data(objectKey.text.utf8))
        return StoredObject(mediaType: encryptedType, bytes: Array(sender.encapsulatedKey + sealed))
    }

    private static func decrypted(
        _ copy: StoredObject, at objectKey: ObjectKey, with key: Curve25519.KeyAgreement.PrivateKey?
    ) throws -> StoredObject {
        guard copy.mediaType == encryptedType else { return copy }
        guard let key else {
            throw OperatorError("These pictures are encrypted. Name the file with the private key: --key FILE")
        }
        guard copy.bytes.count > keyLength,
            var recipient = try? HPKE.Recipient(
                privateKey: key, ciphersuite: suite, info: info, encapsulatedKey: Data(copy.bytes.prefix(keyLength))),
            let content = try? recipient.open(
                Data(copy.bytes.dropFirst(keyLength)), authenticating: Data(objectKey.text.utf8)),
            let end = content.firstIndex(of: UInt8(ascii: "\n"))
        else { throw OperatorError("The copy of \(objectKey) is damaged, or was encrypted to another key.") }
        return StoredObject(
            mediaType: String(decoding: content[..<end], as: UTF8.self), bytes: Array(content[(end + 1)...]))
    }
}
