import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Uploads, from the file on a phone to the picture in an image view.
@Suite struct PictureRouteTests {
    @Test(arguments: StoreUnderTest.all, ObjectStoreUnderTest.all)
    func `An upload appears at once in every size`(
        store: StoreUnderTest, kind: ObjectStoreUnderTest
    ) async throws {
        try await withApp(store, kind) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let upload = try await app.upload(TestApp.png, token: token)
            #expect(upload.status == .ok, "\(upload.classic)")
            #expect(upload.object["isDefault"] as? Bool == false && upload.object["endsAt"] is String)
            let links = try await app.pictureLinks(token: token)
            #expect(Set(links.keys) == ["small.webp", "small.jpeg", "large.webp", "large.jpeg"])
            #expect(try TestApp.links(upload.object) == links)
            for (name, link) in links {
                let picture = try await app.load(link)
                #expect(picture.status == 200, "\(name)")
                #expect(name.hasSuffix("webp") ? picture.isWebP : picture.isJPEG, "\(name)")
                #expect(picture.mediaType == (name.hasSuffix("webp") ? "image/webp" : "image/jpeg"), "\(name)")
            }
            #expect(try app.uploadsOnDisk().isEmpty)
            for link in links.values { #expect(!app.log.text.contains(link)) }
            #expect(!app.log.text.lowercased().contains("signature"))
        }
    }

    @Test(arguments: ObjectStoreUnderTest.all)
    func `A first client uploads a form and loads a JPEG`(kind: ObjectStoreUnderTest) async throws {
        try await kind.withStore { objects in
            try await TestApp.with(now: Date(), objects: objects) { app in
                let token = try await app.token(of: app.makeUser("anna"))
                let upload = try await app.uploadClassic(TestApp.form(TestApp.png), token: token)
                #expect(upload.status == .ok && Set(upload.object.keys) == ["profilePictureLink"], "\(upload.classic)")
                let link = try #require(upload.object["profilePictureLink"] as? String)
                let picture = try await app.load(link)
                #expect(picture.status == 200 && picture.isJPEG)
                let profile = try await app.get("/user/profile", headers: [.authorization: token])
                #expect(profile.object["profilePictureLink"] as? String == link)

                // The result is a JPEG, which can be uploaded again.
                let again = try await app.uploadClassic(TestApp.form(picture.bytes), token: token)
                #expect(again.status == .ok, "\(again.classic)")
                let modern = try await app.send(
                    .put, "/api/v1/me/picture", token: token,
                    headers: [.contentType: "multipart/form-data; boundary=3f2d-41"], body: TestApp.form(TestApp.png))
                #expect(modern.status == .ok, "\(modern.classic)")
                #expect(try await app.stores.jobs.list(state: .ready, limit: 10).count == 2)
            }
        }
    }

    /// A JPEG as a phone writes it, with HTML appended after the end of the picture.
    @Test(arguments: ObjectStoreUnderTest.all)
    func `What the camera wrote and what was appended are gone`(kind: ObjectStoreUnderTest) async throws {
        try await kind.withStore { objects in
            try await TestApp.with(now: Date(), objects: objects) { app in
                let token = try await app.token(of: app.makeUser("anna"))
                let link = try #require(
                    try await app.uploadClassic(TestApp.form(TestApp.png), token: token)
                        .object["profilePictureLink"] as? String)
                let jpeg = try await app.load(link).bytes
                let polyglot = jpeg.prefix(2) + ExifWithPlace.segment + jpeg.dropFirst(2) + Array("<script>".utf8)
                let response = try await app.upload(Array(polyglot), token: token, type: "text/html")
                #expect(response.status == .ok, "\(response.classic)")
                let links = try TestApp.links(response.object)
                #expect(links.count == 4)
                for link in links.values {
                    let picture = try await app.load(link)
                    #expect(picture.status == 200 && (picture.isJPEG || picture.isWebP))
                    for trace in ExifWithPlace.traces + [Array("<script>".utf8)] {
                        #expect(!picture.bytes.contains(trace), "\(String(decoding: trace, as: UTF8.self)) in \(link)")
                    }
                }
            }
        }
    }

    @Test func `Taking a picture down leaves the initials`() async throws {
        try await TestApp.with(now: Date()) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            #expect(try await app.upload(TestApp.png, token: token).status == .ok)
            for _ in 0..<2 {
                #expect(try await app.send(.delete, "/api/v1/me/picture", token: token).status == .noContent)
            }
            #expect(Set(try await app.pictureLinks(token: token).keys) == ["small.png", "large.png"])
            #expect(try await app.stores.jobs.list(state: .ready, limit: 10).map(\.kind) == ["removePicture"])
            expectRejection(try await app.send(.delete, "/api/v1/me/picture"), 401)
        }
    }

    /// Files that are not pictures, in every way that is rejected before decoding.
    @Test func `A file that is no picture is refused in words`() async throws {
        try await TestApp.with(now: Date()) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let cases: [([UInt8], Int, String)] = [
                ([], 422, "empty"), (Array("GIF89a, and more of it".utf8), 415, "GIF"),
                (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), 415, "SVG"),
                ([0, 0, 0, 24] + Array("ftypheic, and more".utf8), 415, "HEIC"),
                (Array("%PDF-1.7 and more of it".utf8), 415, "JPEG, PNG or WebP"), ([0xff], 415, "JPEG, PNG or WebP"),
            ]
            for (bytes, status, words) in cases {
                expectRejection(try await app.upload(bytes, token: token, type: "image/png"), status, saying: words)
            }
            let truncated = Array(TestApp.png.prefix(TestApp.png.count / 2))
            let response = try await app.upload(truncated, token: token)
            #expect([400, 415, 422].contains(response.status.code), "\(response.classic)")
            #expect(try await app.storedKeys().isEmpty && app.uploadsOnDisk().isEmpty)
        }
    }

    @Test func `An invalid form is refused in words`() async throws {
        try await TestApp.with(now: Date()) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            var twice =
                TestApp.form(TestApp.png).getBytes(at: 0, length: TestApp.form(TestApp.png).readableBytes - 4) ?? []
            twice += Array("\r\nContent-Disposition: form-data; name=image\r\n\r\nx\r\n--3f2d-41--".utf8)
            let cases: [(ByteBuffer, String, String)] = [
                (TestApp.form(TestApp.png, name: "photo"), "3f2d-41", "needs a part named image"),
                (ByteBuffer(bytes: twice), "3f2d-41", "more than one part named image"),
                (TestApp.form(TestApp.png), "other", "multipart"), (TestApp.form(TestApp.png), "", "boundary"),
                (TestApp.form([]), "3f2d-41", "empty"),
            ]
            for (body, boundary, words) in cases {
                let response = try await app.uploadClassic(body, token: token, boundary: boundary)
                expectRejection(response, 400, classic: true, saying: words)
            }
            expectRejection(
                try await app.uploadClassic(TestApp.form(Array("GIF89a and more".utf8)), token: token), 415,
                classic: true)
            #expect(try await app.storedKeys().isEmpty && app.uploadsOnDisk().isEmpty)
        }
    }

    @Test func `A picture that is too large is refused`() async throws {
        try await TestApp.with(now: Date()) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            let large = TestApp.png + [UInt8](repeating: 0, count: PictureUpload.maximumBytes)
            expectRejection(try await app.upload(large, token: token), 413, saying: "25 MB")
            expectRejection(try await app.uploadClassic(TestApp.form(large), token: token), 413, classic: true)
            #expect(try await app.storedKeys().isEmpty && app.uploadsOnDisk().isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all, ObjectStoreUnderTest.all)
    func `Of twenty uploads at once, the rest must wait and nothing is left behind`(
        store: StoreUnderTest, kind: ObjectStoreUnderTest
    ) async throws {
        try await withApp(store, kind) { app in
            let user = try await app.makeUser("anna")
            let token = try await app.token(of: user)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await app.upload(TestApp.png, token: token).status.code }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            let counted = statuses.count { $0 == 200 }
            #expect(counted >= 1 && statuses.allSatisfy { [200, 409].contains($0) }, "\(statuses)")
            let jobs = try await app.stores.jobs.list(state: .ready, limit: 100)
            #expect(jobs.count == counted - 1, "each that was replaced")
            #expect(try await app.storedKeys().count == counted * 4)
            let picture = try #require(try await app.stores.user(user.id)?.picture)
            #expect(try await app.storedKeys().filter { $0.contains(picture.id.description) }.count == 4)
            #expect(try app.uploadsOnDisk().isEmpty)
        }
    }

    @Test func `A user who uploads too often reads when to try again`() async throws {
        try await TestApp.with(now: Date()) { app in
            let token = try await app.token(of: app.makeUser("anna"))
            for _ in 0..<PictureService.uploadLimit {
                #expect(try await app.upload([], token: token).status == .unprocessableContent)
            }
            let response = try await app.upload(TestApp.png, token: token)
            expectRejection(response, 429, saying: "in an hour")
            #expect(response.headers[.retryAfter] == "3600")
            let other = try await app.token(of: app.makeUser("bert"))
            #expect(try await app.upload(TestApp.png, token: other).status == .ok)
            app.clock.advance(by: 3_601)
            #expect(try await app.upload(TestApp.png, token: token).status == .ok)
        }
    }

    @Test(.thorough, arguments: ObjectStoreUnderTest.all)
    func `If the object store fails or is full, the former picture stays`(kind: ObjectStoreUnderTest) async throws {
        try await kind.withStore { store in
            let objects = FaultyObjectStore(store)
            try await TestApp.with(now: Date(), objects: objects) { app in
                let user = try await app.makeUser("anna")
                let token = try await app.token(of: user)
                #expect(try await app.upload(TestApp.png, token: token).status == .ok)
                let before = try await app.stores.user(user.id)?.picture
                let faults: [FaultyObjectStore.Fault] = [
                    .error(.unavailable("away")), .error(.misconfigured("no bucket")), .fullAfter(writes: 2),
                ]
                for fault in faults {
                    objects.setFault(fault)
                    let response = try await app.upload(TestApp.png, token: token)
                    expectRejection(response, 503, saying: "Pictures aren’t available")
                    #expect(response.headers[.retryAfter] != nil)
                    objects.setFault(nil)
                    #expect(try await app.stores.user(user.id)?.picture == before)
                    #expect(try await app.stores.jobs.list(state: nil, limit: 10).isEmpty)
                    #expect(try await app.storedKeys().count == 4, "what was put before the fault is gone again")
                }
                #expect(try await app.upload(TestApp.png, token: token).status == .ok)
                #expect(try app.uploadsOnDisk().isEmpty)
            }
        }
    }

    private func withApp(
        _ store: StoreUnderTest, _ kind: ObjectStoreUnderTest, _ body: @Sendable (TestApp) async throws -> Void
    ) async throws {
        try await store.withStores { stores in
            try await kind.withStore { objects in
                try await TestApp.with(stores: stores, now: Date(), objects: objects, body)
            }
        }
    }
}
