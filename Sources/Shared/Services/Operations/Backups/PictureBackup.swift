package import Crypto
package import Domain
package import Foundation
package import Ports
package import Storage

/// Copies of the users' pictures beside the backups of the store, for both kinds of object store.
///
/// Pictures never change, so each is copied once. A copy is deleted 30 days after no user has its picture any more: people
/// who delete a picture mean it, but a store that is new or was restored must not delete the copies at once.
package struct PictureBackup: Sendable {
    /// What a restoration did.
    package struct Restored: Hashable, Sendable {
        /// Objects put back.
        package var objects: Set<ObjectKey> = []
        /// Objects that are still missing: their copy is damaged, or was encrypted to another key.
        package var unreadable: Set<ObjectKey> = []

        /// Nothing is restored yet.
        package init() {}

        /// Adds what was then restored from another place.
        package mutating func add(_ later: Restored) {
            objects.formUnion(later.objects)
            unreadable = unreadable.union(later.unreadable).subtracting(objects)
        }
    }

    /// Seconds for which a copy is kept after its picture was deleted.
    package static let patience: TimeInterval = 30 * 86_400
    private static let pageSize = 1_000
    /// Begins the keys of empty objects that remember since when a picture has had no user.
    private static let unusedPrefix = "unused/"

    private let store: any Store
    private let pictures: any ObjectStore
    private let copies: any ObjectStore
    private let key: Curve25519.KeyAgreement.PublicKey?

    /// - Parameters:
    ///   - pictures: what is copied.
    ///   - copies: where to; never a store that is used for something else.
    ///   - key: copies are encrypted to it; `nil` leaves them as they are.
    package init(
        stores: Stores, pictures: any ObjectStore, copies: any ObjectStore,
        key: Curve25519.KeyAgreement.PublicKey? = nil
    ) {
        store = stores.rows
        self.pictures = pictures
        self.copies = copies
        self.key = key
    }

    /// Copies pictures that have no copy, and deletes copies of pictures that no user has had for `patience`. A picture
    /// that disappeared from its store, but not from its user, keeps its copy.
    /// - Parameter now: by the machine's clock, like the times of objects.
    /// - Throws: `ObjectStoreError`, `StorageError.unavailable`; what was done so far stays.
    package func update(at now: Date) async throws -> CopyChanges {
        var changes = CopyChanges()
        let copied = try await keys(in: copies)
        for objectKey in try await keys(in: pictures).subtracting(copied).sorted(by: { $0.text < $1.text }) {
            // `nil` if it was deleted in the meantime.
            guard let object = try await pictures.get(objectKey) else { continue }
            let copy = try key.map { try Self.encrypted(object, at: objectKey, for: $0) } ?? object
            try await copies.put(copy, at: objectKey)
            changes.added += 1
        }
        let expired = try await expired(among: Set(copied.compactMap(ProfilePicture.id)), at: now)
        for objectKey in copied {
            guard let id = ProfilePicture.id(of: objectKey), expired.contains(id) else { continue }
            try await copies.delete(objectKey)
            changes.removed += 1
        }
        // Last: if deleting a copy fails, the next run tries it again.
        for mark in expired.compactMap(Self.unusedKey) { try await copies.delete(mark) }
        return changes
    }

    /// Restores missing pictures that users have from their copies. The store must have been restored before.
    /// - Parameter key: opens encrypted copies.
    /// - Throws: `OperatorError` if a copy is encrypted and there is no key; `ObjectStoreError`. What was put back so far
    ///   stays.
    package func restore(with key: Curve25519.KeyAgreement.PrivateKey?) async throws -> Restored {
        var restored = Restored()
        let missing = try await keys(in: copies).subtracting(keys(in: pictures))
        let used = try await used(among: Set(missing.compactMap(ProfilePicture.id)))
        for objectKey in missing.sorted(by: { $0.text < $1.text }) {
            guard let id = ProfilePicture.id(of: objectKey), used.contains(id),
                let copy = try await copies.get(objectKey)
            else { continue }
            guard let object = try Self.decrypted(copy, at: objectKey, with: key) else {
                restored.unreadable.insert(objectKey)
                continue
            }
            try await pictures.put(object, at: objectKey)
            restored.objects.insert(objectKey)
        }
        return restored
    }

    /// The pictures that no user has had for `patience`. Remembers those that have just become unused, and forgets those
    /// that are used again, as after a restoration.
    private func expired(among ids: Set<ProfilePicture.ID>, at now: Date) async throws -> Set<ProfilePicture.ID> {
        let unused = try await ids.subtracting(used(among: ids))
        var since: [ObjectKey: Date] = [:]
        for mark in try await copies.listAll(prefix: Self.unusedPrefix) { since[mark.key] = mark.modifiedAt }
        var expired: Set<ProfilePicture.ID> = []
        for id in unused {
            guard let mark = Self.unusedKey(of: id) else { continue }
            if let first = since.removeValue(forKey: mark) {
                if now.timeIntervalSince(first) >= Self.patience { expired.insert(id) }
            } else {
                try await copies.put(StoredObject(mediaType: "text/plain", bytes: []), at: mark)
            }
        }
        for mark in since.keys { try await copies.delete(mark) }
        return expired
    }

    private static func unusedKey(of id: ProfilePicture.ID) -> ObjectKey? { ObjectKey("\(unusedPrefix)\(id)") }

    private func keys(in store: any ObjectStore) async throws -> Set<ObjectKey> {
        Set(try await store.listAll(prefix: ProfilePicture.keyPrefix).map(\.key))
    }

    private func used(among ids: Set<ProfilePicture.ID>) async throws -> Set<ProfilePicture.ID> {
        let ids = ids.sorted()
        var used: Set<ProfilePicture.ID> = []
        for first in stride(from: 0, to: ids.count, by: Self.pageSize) {
            used.formUnion(
                try await store.read {
                    try $0.pictures(among: Array(ids[first..<min(first + Self.pageSize, ids.count)]))
                })
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

    /// `nil` if the copy is damaged, or was encrypted to another key.
    private static func decrypted(
        _ copy: StoredObject, at objectKey: ObjectKey, with key: Curve25519.KeyAgreement.PrivateKey?
    ) throws -> StoredObject? {
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
        else { return nil }
        return StoredObject(
            mediaType: String(decoding: content[..<end], as: UTF8.self), bytes: Array(content[(end + 1)...]))
    }
}
