import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Uploads that break off, and processes that die.
@Suite struct UploadFaultTests {
    private static let resume = "HTTP/1.1 100 Continue\r\n\r\n"

    /// Runs `body` with an app on a socket, and a connection on which an upload's head was sent.
    private static func withUpload(
        headers: String, _ body: @escaping @Sendable (TestApp, RawConnection) async throws -> Void
    ) async throws {
        try await TestApp.with(now: Date(), over: .live) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let connection = try await RawConnection.open(port: try #require(app.port))
            try await connection.send(
                "PUT /api/v1/me/picture HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\(headers)\r\n\r\n"
            )
            try await body(app, connection)
        }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ("Content-Length: 100000", "RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 and some more"),
            ("Transfer-Encoding: chunked", "1d\r\nRIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 and some more\r\n"),
        ])
    func `A client that disconnects halfway leaves nothing behind`(headers: String, piece: String) async throws {
        try await Self.withUpload(headers: "\(headers)\r\nExpect: 100-continue") { app, connection in
            #expect(await connection.receive { $0 == Self.resume })
            #expect(try app.uploadsOnDisk().count == 1)
            try await connection.send(piece)
            try await connection.close()
            await app.log.until("/api/v1/me/picture")
            #expect(try app.uploadsOnDisk().isEmpty)
            #expect(try await app.storedKeys().isEmpty)
            #expect(try await app.stores.user(login: "anna")?.picture == nil)
            #expect(!app.log.text.contains("error: A request failed"))
        }
    }

    @Test func `A client that asks before sending is told to go on`() async throws {
        try await Self.withUpload(headers: "Content-Length: 600\r\nExpect: 100-Continue") { _, connection in
            #expect(await connection.receive { $0 == Self.resume })
            try await connection.send("GIF89a".padding(toLength: 600, withPad: ".", startingAt: 0))
            #expect(await connection.receive { $0.contains("This picture is a GIF") })
            #expect(connection.received.hasPrefix("\(Self.resume)HTTP/1.1 415 "))
            try await connection.close()
        }
    }

    @Test func `A file that is no picture is refused before the rest arrives`() async throws {
        try await Self.withUpload(headers: "Content-Length: 20000000") { app, connection in
            try await connection.send("GIF89a and some more".padding(toLength: 512, withPad: ".", startingAt: 0))
            #expect(await connection.receive { $0.contains("This picture is a GIF") })
            #expect(connection.received.hasPrefix("HTTP/1.1 415 "))
            #expect(connection.received.lowercased().contains("connection: close"))
            #expect(try app.uploadsOnDisk().isEmpty)
            _ = await connection.receiveAll()
        }
    }

    @Test(arguments: ["", "\r\nExpect: 100-continue"])
    func `An upload announced as too large is refused before any of it arrives`(question: String) async throws {
        try await Self.withUpload(headers: "Content-Length: 26214401\(question)") { _, connection in
            #expect(await connection.receive { $0.contains("larger than 25 MB") })
            #expect(connection.received.hasPrefix("HTTP/1.1 413 "))
            _ = await connection.receiveAll()
        }
    }

    @Test func `A killed process's files are removed, and another process's are left alone`() async throws {
        try await TemporaryDirectory.with { directory in
            let data = directory.path("data")
            let left = "\(data)/uploads/0123456789abcdef0123456789abcdef"
            try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
            try Data("half a picture".utf8).write(to: URL(filePath: "\(left)/upload"))
            let logger = CapturedLog().logger
            let first = try UploadFolder(dataDirectory: data, logger: logger)
            #expect(!FileManager.default.fileExists(atPath: left))
            try await first.withFile { file in
                // Behaves like another process: the lock belongs to the open file, not to the process.
                let second = try UploadFolder(dataDirectory: data, logger: logger)
                #expect(FileManager.default.fileExists(atPath: file.path))
                try await second.withFile { #expect($0.path != file.path) }
            }
            #expect(try FileManager.default.subpathsOfDirectory(atPath: data).filter { $0.hasSuffix("upload") }.isEmpty)
        }
    }
}
