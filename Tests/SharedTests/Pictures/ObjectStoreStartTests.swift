import Foundation
import Logging
import Ports
import Services
import TestSupport
import Testing

/// How a process starts if the object store does not work.
@Suite struct ObjectStoreStartTests {
    /// Runs `body` with a folder that can be broken.
    private static func withStore(_ body: (FaultyObjectStore) async throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            try await body(FaultyObjectStore(ObjectStoreUnderTest.folder(directory.path("objects"))))
        }
    }

    @Test func `A store that works is not reported`() async throws {
        try await Self.withStore { store in
            try await store.checkAtStart(patience: .seconds(60), logger: Logger(label: "test"))
            let left = try await store.list(prefix: "", after: nil, limit: 10)
            #expect(left.isEmpty)
        }
    }

    @Test func `An unavailable or slow store does not keep the server from starting`() async throws {
        try await Self.withStore { store in
            for fault in [FaultyObjectStore.Fault.error(.unavailable("away")), .hangs] {
                store.setFault(fault)
                try await store.checkAtStart(patience: .milliseconds(20), logger: Logger(label: "test"))
            }
        }
    }

    @Test func `An error for the operator ends the start in words`() async throws {
        try await Self.withStore { store in
            store.setFault(.error(.misconfigured("There is no bucket of the name in S3_BUCKET")))
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store.checkAtStart(patience: .seconds(60), logger: Logger(label: "test"))
            }
            let words = error.map { OperatorMessage.text(for: $0) }
            #expect(words == "There is no bucket of the name in S3_BUCKET")
        }
    }
}
