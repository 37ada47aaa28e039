import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import TestSupport
import Testing

@testable import HappinessAPI

/// Links to pictures, and the pictures behind them.
@Suite struct PictureDeliveryTests {
    /// On the full hour, on day 20 of the tests' calendar.
    private static let hour = TestApp.now

    /// Runs `body` with an app and a user with a picture, and the picture's link as the first clients get it.
    private static func withPicture(_ body: @Sendable (TestApp, _ token: String, _ link: String) async throws -> Void)
        async throws
    {
        try await TestApp.with(now: hour) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let upload = try await app.uploadClassic(TestApp.form(TestApp.png), token: token)
            try await body(
                app, token, try #require(upload.object["profilePictureLink"] as? String, "\(upload.classic)"))
        }
    }

    @Test func `A picture may be cached for as long as its link is valid`() async throws {
        try await Self.withPicture { app, _, link in
            app.clock.advance(by: 600)
            let picture = try await app.load(link)
            #expect(picture.status == 200 && picture.isJPEG && picture.mediaType == "image/jpeg")
            #expect(picture.headers[.cacheControl] == "private, max-age=6600, immutable")
            #expect(picture.headers[.xContentTypeOptions] == "nosniff")
            #expect(picture.headers[.contentSecurityPolicy] == "default-src 'none'; frame-ancestors 'none'")
            #expect(picture.headers[.contentDisposition] == "inline")
            #expect(picture.headers[.crossOriginResourcePolicy] == "same-origin")
            let tag = try #require(picture.headers[.eTag])
            for sent in [tag, "W/\(tag)", "\(tag.dropLast())-gzip\""] {
                let known = try await app.load(link, headers: [.ifNoneMatch: sent])
                #expect(known.status == 304 && known.bytes.isEmpty && known.headers[.eTag] == tag, "\(sent)")
            }
            let head = try await app.send(.head, String(link.dropFirst("http://localhost:8080".count)))
            #expect(head.status == .ok && head.body.readableBytes == 0 && head.headers[.eTag] == tag)
            #expect(head.headers[.contentLength] == "\(picture.bytes.count)")
        }
    }

    @Test func `A link is the same for an hour and valid for two`() async throws {
        try await Self.withPicture { app, token, link in
            func current() async throws -> String? {
                try await app.get("/user/profile", headers: [.authorization: token]).object["profilePictureLink"]
                    as? String
            }
            app.clock.advance(by: 3_599)
            #expect(try await current() == link)
            app.clock.advance(by: 1)
            let next = try #require(try await current())
            #expect(next != link)
            app.clock.advance(by: 3_599)
            #expect(try await app.load(link).status == 200)
            app.clock.advance(by: 1)
            #expect(try await app.load(link).status == 403, "two hours after the full hour")
            #expect(try await app.load(next).status == 200)
            let ended = try await app.get(String(link.dropFirst("http://localhost:8080".count)))
            expectRejection(ended, 403, saying: "has expired")
        }
    }

    @Test func `A changed link loads nothing`() async throws {
        try await Self.withPicture { app, _, link in
            let path = String(link.dropFirst("http://localhost:8080".count))
            let signature = try #require(path.split(separator: "=").last)
            let first = signature.hasPrefix("A") ? "B" : "A"
            let forged = [
                path.replacing("512.jpg", with: "96.jpg"),
                path.replacing(signature, with: first + signature.dropFirst()),
                path.replacing("expires=", with: "expires=9"), path.replacing("expires=", with: "expires=0"),
                path.replacing("expires=", with: "expires=%2B"), String(path.prefix { $0 != "?" }),
                path.replacing("&signature=\(signature)", with: ""), path.replacing("signature=", with: "signature=="),
                String(path.dropLast()),
            ]
            for uri in forged { #expect(try await app.get(uri).status.code == 403, "\(uri)") }
            expectRejection(try await app.get(forged[0]), 403, saying: "was changed")
            #expect(try await app.get(path).status == .ok)
            #expect(!app.log.text.contains(signature))
        }
    }

    @Test func `A removed picture is not found under its former link`() async throws {
        try await Self.withPicture { app, _, link in
            for key in try await app.objects.list(prefix: "", after: nil, limit: 10) {
                try await app.objects.delete(key.key)
            }
            let response = try await app.get(String(link.dropFirst("http://localhost:8080".count)))
            expectRejection(response, 404, saying: "no longer exists")
        }
    }

    @Test func `A user without a picture is shown with their initials`() async throws {
        try await TestApp.with(now: Self.hour) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let links = try await app.pictureLinks(token: token)
            let large = try await app.load(try #require(links["large.png"]))
            #expect(large.status == 200 && large.isPNG && large.mediaType == "image/png")
            #expect(large.headers[.cacheControl] == "private, max-age=7200, immutable")
            let tag = try #require(large.headers[.eTag])
            #expect(try await app.load(try #require(links["large.png"]), headers: [.ifNoneMatch: tag]).status == 304)
            let small = try await app.load(try #require(links["small.png"]))
            #expect(small.isPNG && small.bytes.count < large.bytes.count)
            app.clock.advance(by: 7_200)
            #expect(try await app.load(try #require(links["large.png"])).status == 403)
        }
    }

    @Test func `While the object store is unavailable, a picture is to be requested later`() async throws {
        try await TemporaryDirectory.with { directory in
            let objects = FaultyObjectStore(ObjectStoreUnderTest.folder(directory.path("objects")))
            try await TestApp.with(now: Self.hour, objects: objects) { app in
                let token = try await app.token(of: app.makeUser("anna"))
                #expect(try await app.upload(TestApp.png, token: token).status == .ok)
                let link = try #require(try await app.pictureLinks(token: token)["large.webp"])
                objects.setFault(.error(.unavailable("away")))
                expectRejection(try await app.get(String(link.dropFirst("http://localhost:8080".count))), 503)
                #expect(try await app.get("/api/v1/me", token: token).status == .ok, "all else works")
            }
        }
    }

    @Test func `Pages may load pictures from the object store and from nowhere else`() async throws {
        let settings = [
            "OBJECT_STORE": "s3", "S3_ENDPOINT": "https://objects.example:8443", "S3_BUCKET": "pictures",
            "S3_REGION": "eu", "S3_ADDRESSING": "path", "S3_ACCESS_KEY_ID": "a", "S3_SECRET_ACCESS_KEY": "b",
        ]
        try await TestApp.with(settings: settings) { app in
            let policy = try await app.get("/forgot-password").headers[.contentSecurityPolicy]
            #expect(policy?.contains("img-src 'self' data: https://objects.example:8443;") == true, "\(policy ?? "")")
        }
    }
}
