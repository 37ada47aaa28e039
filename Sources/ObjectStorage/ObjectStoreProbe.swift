import Shared

/// The harmless round trip of a check: lists, writes, reads, and deletes a small object.
enum ObjectStoreProbe {
    /// Always the same, so that checks that are cut short leave one object and not ever more.
    private static let key = ObjectKey("check/start")

    /// - Throws: `ObjectStoreError`; `CancellationError`.
    static func run(on store: some ObjectStore) async throws {
        // First, because a list tells a missing bucket from a missing right; the other calls often cannot.
        _ = try await store.list(prefix: "check/", after: nil, limit: 1)
        guard let key else { return }
        let object = StoredObject(mediaType: "text/plain", bytes: Array("check".utf8))
        try await store.put(object, at: key)
        let found = try await store.get(key)
        try await store.delete(key)
        // Another program that starts may have deleted it.
        guard found == nil || found?.bytes == object.bytes else {
            throw ObjectStoreError.misconfigured("The object store does not give back what was stored in it")
        }
    }
}
