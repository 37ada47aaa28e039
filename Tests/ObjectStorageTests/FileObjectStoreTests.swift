import Domain
import Foundation
import Ports
import TestSupport
import Testing

@testable import ObjectStorage

/// A folder of objects: permissions and files, and errors of the file system.
@Suite struct FileObjectStoreTests {
    private typealias Fixtures = ObjectStoreFixtures

    @Test func `Only this user may read the folder and its files`() async throws {
        try await TemporaryDirectory.with { directory in
            try await FileObjectStore(folder: directory.path("objects")).put(
                Fixtures.picture(), at: Fixtures.key("a/b"))
            for (path, mode) in [("objects", 0o700), ("objects/a", 0o700), ("objects/a/b,object", 0o600)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.path(path))
                #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
            }
        }
    }

    @Test func `Folders are removed with their last object`() async throws {
        try await TemporaryDirectory.with { directory in
            let store = FileObjectStore(folder: directory.path("objects"))
            try await store.put(Fixtures.picture(), at: Fixtures.key("a/b/c"))
            try await store.put(Fixtures.picture(), at: Fixtures.key("a/d"))
            try await store.delete(Fixtures.key("a/b/c"))
            #expect(!FileManager.default.fileExists(atPath: directory.path("objects/a/b")))
            #expect(FileManager.default.fileExists(atPath: directory.path("objects/a/d,object")))
            try await store.delete(Fixtures.key("a/d"))
            #expect(!FileManager.default.fileExists(atPath: directory.path("objects/a")))
        }
    }

    @Test(arguments: ["..", "../a", "a/../b", "a//b", "/a", "a/", ".drafts/a", "A", "a b", "a,object", "ä", ""])
    func `A key cannot leave the folder`(text: String) {
        #expect(ObjectKey(text) == nil)
    }

    @Test func `A part of a key fits into the name of a file`() async throws {
        #expect(ObjectKey(String(repeating: "a", count: 201)) == nil)
        let long = Fixtures.key(String(repeating: "a", count: 200) + "/" + String(repeating: "b", count: 55))
        #expect(ObjectKey(long.text + "b") == nil)
        try await ObjectStoreUnderTest.file.withStore { store in
            try await store.put(Fixtures.picture(), at: long)
            #expect(try await store.get(long) != nil)
        }
    }

    @Test func `A link out of the folder is not followed`() async throws {
        try await TemporaryDirectory.with { directory in
            let store = FileObjectStore(folder: directory.path("objects"))
            try await store.put(Fixtures.picture(), at: Fixtures.key("b"))
            try FileManager.default.createSymbolicLink(
                atPath: directory.path("objects/a,object"), withDestinationPath: "/etc/passwd")
            await #expect(throws: ObjectStoreError.self) { _ = try await store.get(Fixtures.key("a")) }
            #expect(try await store.list(prefix: "", after: nil, limit: 10).map(\.key.text) == ["b"])
        }
    }

    @Test func `A killed process's files are in no list and are removed by a check`() async throws {
        try await TemporaryDirectory.with { directory in
            let store = FileObjectStore(folder: directory.path("objects"))
            try await store.put(Fixtures.picture(), at: Fixtures.key("a"))
            for (name, age) in [("old", 601.0), ("new", 0)] {
                let draft = directory.path("objects/.drafts/\(name)")
                try Data("half".utf8).write(to: URL(fileURLWithPath: draft))
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: draft)
            }
            #expect(try await store.list(prefix: "", after: nil, limit: 10).map(\.key.text) == ["a"])
            try await store.check()
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path("objects/.drafts"))
            #expect(left == ["new"])
        }
    }

    @Test func `Other files are in no list`() async throws {
        try await TemporaryDirectory.with { directory in
            let store = FileObjectStore(folder: directory.path("objects"))
            try await store.put(Fixtures.picture(), at: Fixtures.key("a"))
            try Data().write(to: directory.url.appendingPathComponent("objects/readme"))
            try Data().write(to: directory.url.appendingPathComponent("objects/Read me,object"))
            #expect(try await store.list(prefix: "", after: nil, limit: 10).map(\.key.text) == ["a"])
            try Data("short".utf8).write(to: directory.url.appendingPathComponent("objects/b,object"))
            await #expect(throws: ObjectStoreError.self) { _ = try await store.get(Fixtures.key("b")) }
        }
    }

    @Test func `A check reports a path that is no folder`() async throws {
        try await TemporaryDirectory.with { directory in
            try Data().write(to: URL(fileURLWithPath: directory.path("file")))
            await #expect(
                throws: ObjectStoreError.misconfigured(
                    "A part of the path of the folder of objects, below DATA_DIR, is no folder")
            ) { try await FileObjectStore(folder: directory.path("file/objects")).check() }
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "Only root can mount a file system"))
    func `A full disk is unavailable and keeps its objects`() async throws {
        try await SmallDisk.with { path in
            let store = FileObjectStore(folder: "\(path)/objects")
            try await store.put(Fixtures.picture("first"), at: Fixtures.key("a"))
            let large = Fixtures.picture(String(repeating: "x", count: 1_000_000))
            for key in ["a", "b"] {
                await #expect(throws: ObjectStoreError.unavailable("The disk of the folder of objects is full")) {
                    try await store.put(large, at: Fixtures.key(key))
                }
            }
            #expect(try await store.get(Fixtures.key("a")) == Fixtures.picture("first"))
            #expect(try await store.get(Fixtures.key("b")) == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(path)/objects/.drafts") == [])
            try await store.put(Fixtures.picture("still room"), at: Fixtures.key("b"))
        }
    }

    @Test(.enabled(if: SmallDisk.isPossible, "Only root can mount a file system"))
    func `A check reports a disk that cannot be written`() async throws {
        try await SmallDisk.with { path in
            let store = FileObjectStore(folder: "\(path)/objects")
            try await store.put(Fixtures.picture(), at: Fixtures.key("a"))
            try await SmallDisk.makeReadOnly(path)
            await #expect(
                throws: ObjectStoreError.misconfigured(
                    "The folder of objects, below DATA_DIR, is on a disk that cannot be written")
            ) { try await store.check() }
            #expect(try await store.get(Fixtures.key("a")) == Fixtures.picture())
        }
    }

    @Test func `A file store has no links`() throws {
        let store = FileObjectStore(folder: "objects")
        #expect(store.link(to: Fixtures.key("a"), from: Date(), lifetime: .seconds(60)) == nil)
    }
}

/// An in-memory file system of 256 KiB, mounted during a test.
private enum SmallDisk {
    struct Failure: Error {
        let command: [String]
    }

    /// Whether this process may mount: only root, and mostly not in a container.
    static let isPossible: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
        process.standardError = FileHandle.nullDevice
        guard geteuid() == 0, (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    static func with(_ body: (String) async throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            try await run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", directory.url.path])
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(directory.url.path))
            } catch {
                result = .failure(error)
            }
            try await run(["umount", directory.url.path])
            try result.get()
        }
    }

    static func makeReadOnly(_ path: String) async throws {
        try await run(["mount", "-o", "remount,ro", path])
    }

    private static func run(_ command: [String]) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else { throw Failure(command: command) }
    }
}
