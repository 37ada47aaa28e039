import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Uploads a picture with a page's form.
@Suite struct PictureSettingsTests {
    private static let path = "/settings/picture"

    /// A form as a browser sends it: the token, then the file.
    private static func form(token: String?, _ picture: [UInt8]) -> ByteBuffer {
        var body = ByteBuffer()
        if let token {
            body.writeString("--b\r\nContent-Disposition: form-data; name=\"formToken\"\r\n\r\n\(token)\r\n")
        }
        body.writeString(
            "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"me.png\"\r\n"
                + "Content-Type: image/png\r\n\r\n")
        body.writeBytes(picture)
        body.writeString("\r\n--b--\r\n")
        return body
    }

    private static func send(_ body: ByteBuffer, by browser: Browser) async throws -> TestResponse {
        try await browser.app.send(
            .post, path,
            headers: [
                .cookie: browser.cookie, .acceptLanguage: "en", .contentType: "multipart/form-data; boundary=b",
                .secFetchSite: "same-origin",
            ], body: body)
    }

    @Test func `A picture is shown at once and can be removed`() async throws {
        try await TestApp.with(now: Date()) { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: Self.path)
            let response = try await Self.send(Self.form(token: token, TestApp.png), by: browser)
            #expect(response.status == .seeOther, "\(response.classic)")
            #expect(response.headers[.location] == "/settings?done=picture")
            let picture = try #require(try await app.stores.user(anna.id)?.picture)
            let page = try await browser.get("/settings?done=picture")
            expectPage(page, saying: "/pictures/\(picture.id)/96.webp")
            #expect(page.text.contains("/pictures/\(picture.id)/512.webp"))

            let removal = try await browser.post("\(Self.path)/remove", form: "formToken=\(token)")
            #expect(removal.headers[.location] == "/settings?done=picture-removed")
            #expect(try await app.stores.user(anna.id)?.picture == nil)
            #expect(try await !browser.get(Self.path).text.contains("/settings/picture/remove"))
        }
    }

    @Test func `A form without its token before the picture is refused`() async throws {
        try await TestApp.with(now: Date()) { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let foreign = try await app.browser(of: app.makeUser("bert")).formToken(on: Self.path)
            for token in [nil, "", "x", foreign, String(repeating: "x", count: 10_000)] {
                let response = try await Self.send(Self.form(token: token, TestApp.png), by: browser)
                expectPage(response, 403, saying: "out of date")
            }
            let raw = try await app.send(
                .post, Self.path, headers: [.cookie: browser.cookie, .contentType: "image/png"],
                body: ByteBuffer(bytes: TestApp.png))
            expectPage(raw, 403)
            #expect(try await app.stores.user(anna.id)?.picture == nil)
        }
    }

    @Test func `The form says that a file is no picture or too large`() async throws {
        try await TestApp.with(now: Date()) { app in
            let anna = try await app.makeUser("anna")
            let browser = try await app.browser(of: anna)
            let token = try await browser.formToken(on: Self.path)
            let text = Array("This is no picture, but long enough to tell.".utf8)
            expectPage(
                try await Self.send(Self.form(token: token, text), by: browser), 415,
                saying: "isn’t a JPEG, PNG or WebP")
            expectPage(try await Self.send(Self.form(token: token, []), by: browser), 422, saying: "role=\"alert\"")
            let large = TestApp.png + [UInt8](repeating: 0, count: PictureUpload.maximumBytes)
            expectPage(
                try await Self.send(Self.form(token: token, large), by: browser), 413, saying: "larger than 25 MB")
            #expect(try await app.stores.user(anna.id)?.picture == nil)
            #expect(try app.uploadsOnDisk().isEmpty)
        }
    }
}
