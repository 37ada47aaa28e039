import Domain
import Foundation
import HummingbirdTesting
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The move of pictures of the first system, from a real server through the real picture tool.
@Suite struct ClassicPicturesTests {
    @Test func `Pictures are fetched from the named place alone, and stored like uploads`() async throws {
        try await TestApp.with(over: .live) { app in
            let port = try #require(app.port)
            let place = "http://127.0.0.1:\(port)"
            let addresses = [
                "anna": "\(place)/assets/default-picture.png", "ben": "\(place)/assets/no-such-picture.png",
                "cleo": "\(place)/health", "dan": "http://localhost:1/icon-192.png",
            ]
            for name in addresses.keys {
                try await app.stores.insert(
                    User(name: try UserName(name), email: try EmailAddress("\(name)@example.org")))
            }
            let context = CommandContext(
                stores: app.stores, hasher: try PasswordHasher(cost: PasswordHasher.costs.lowerBound),
                secrets: app.secrets, location: .sqlite(path: "none"), dataDirectory: app.directory.path("data"),
                input: PasswordInput(isTerminal: false) { _ in nil }, output: { _ in })
            let settings = try Settings(values: ["DATA_DIR": app.directory.path("data")]).objects
            let origin = try #require(ClassicPictureOrigin(argument: place))
            let all = addresses.sorted { $0.key < $1.key }
                .map { ClassicImport.Picture(name: $0.key, address: $0.value) }
            let (count, lines) = try await ClassicPictures.with(origin, settings: settings, in: context) {
                try await $0.move(all)
            }
            #expect(count == 1)
            try #require(lines.count == 3)
            #expect(lines[0] == "users “ben”: profilePicture was answered with status 404.")
            #expect(lines[1].hasPrefix("users “cleo”: profilePicture cannot be used: "))
            #expect(lines[2] == "users “dan”: profilePicture is not at the place that --pictures names.")
            for name in addresses.keys {
                let user = try #require(try await app.stores.user(login: name))
                #expect((user.picture != nil) == (name == "anna"))
            }
            // Among another installation's pictures nothing is stored.
            let mark = try #require(ObjectKey(InstallationMark.name))
            try await ObjectStoreUnderTest.folder(app.directory.path("data/objects"))
                .put(StoredObject(mediaType: "text/plain", bytes: Array("another\n".utf8)), at: mark)
            await #expect(throws: OperatorError.self) {
                _ = try await ClassicPictures.with(origin, settings: settings, in: context) { try await $0.move(all) }
            }
        }
    }

    /// Addresses, and whether they are at `https://pictures.example.org`.
    private static let addresses: [(address: String, isThere: Bool)] = [
        ("https://pictures.example.org/a.jpg", true), ("HTTPS://Pictures.Example.org:443/a.jpg", true),
        ("http://pictures.example.org/a.jpg", false), ("https://pictures.example.org:8443/a.jpg", false),
        ("https://pictures.example.org.evil.example/a.jpg", false),
        ("https://pictures.example.org@evil.example/", false), ("https://anna@pictures.example.org/a.jpg", false),
        ("file:///etc/passwd", false), ("/a.jpg", false), ("", false),
    ]

    @Test(arguments: addresses)
    func `An address is at a place if scheme, host and port are the same`(address: String, isThere: Bool) throws {
        let origin = try #require(ClassicPictureOrigin(argument: "https://pictures.example.org"))
        #expect(origin.contains(address) == isThere)
    }

    @Test(arguments: ["pictures.example.org", "ftp://pictures.example.org", "https://", "https://a.example/path", ""])
    func `A place is a scheme and a host`(text: String) {
        #expect(ClassicPictureOrigin(argument: text) == nil)
    }
}
