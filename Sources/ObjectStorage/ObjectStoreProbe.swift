import Domain
import Ports

/// A harmless check: lists, writes, reads and deletes a small object.
enum ObjectStoreProbe {
    /// Always the same, so that interrupted checks leave at most one object.
    private static let key = ObjectKey("check/start")

    /// - Throws: `ObjectStoreError`; `CancellationError`.
    static func run(on store: some ObjectStore) async throws {
        // First, because listing distinguishes a missing bucket from a missing permission; the other calls often
        // cannot.
        _ = try await store.list(prefix: "check/", after: nil, limit: 1)
        guard let key else { return }
        let object = StoredObject(mediaType: "text/plain", bytes: Array("check".utf8))
        try await store.put(object, at: key)
        let found = try await store.get(key)
        try await store.delete(key)
        // Another process that starts at the same time may have deleted it.
        guard found == nil || found?.bytes == object.bytes else {
            throw ObjectStoreError.misconfigured("The object store does not give back what was stored in it")
        }
    }
}
