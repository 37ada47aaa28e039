import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import HappinessAPI

/// Forms without a secret of their sender are accepted from our own pages only.
@Suite struct SameOriginTests {
    private static let address = "https://happiness.example.org"

    /// Request headers and the expected status. The server is addressed as `localhost`.
    private static let senders: [(HTTPFields, Int)] = [
        ([.origin: address], 303), ([.origin: "https://localhost"], 303), ([:], 303),
        ([.secFetchSite: "same-origin", .origin: address], 303), ([.secFetchSite: "none"], 303),
        ([.origin: "null"], 403), ([.origin: "https://evil.example"], 403), ([.origin: ""], 403),
        ([.origin: "http://happiness.example.org"], 403), ([.origin: "\(address).evil.example"], 403),
        ([.origin: "http://localhost"], 403), ([.origin: "https://localhost:81"], 403),
        ([.secFetchSite: "cross-site", .origin: address], 403),
        ([.secFetchSite: "same-site", .origin: address], 403),
    ]

    @Test(arguments: senders)
    func `A browser that comes from another site is refused`(headers: HTTPFields, status: Int) async throws {
        try await TestApp.with(settings: ["PUBLIC_URL": Self.address]) { app in
            _ = try await app.makeUser("anna")
            var headers = headers
            headers[.contentType] = "application/x-www-form-urlencoded"
            let response = try await app.send(
                .post, "/login", headers: headers, body: ByteBuffer(string: "username=anna&password=purple%20lamp%209"))
            #expect(response.status.code == status)
            #expect(response.headers.contains(.setCookie) == (status == 303))
        }
    }

    /// A page without referrer also hides its origin when it sends a form.
    @Test(arguments: ["/login", "/login?next=/settings", "/register", "/forgot-password"])
    func `The pages of these forms let the browser tell their origin`(path: String) async throws {
        try await TestApp.with(settings: ["REGISTRATION_DOMAINS": "example.org:member"]) { app in
            let page = try await app.get(path)
            expectPage(page)
            #expect(page.headers[.referrerPolicy] == "strict-origin", "and never the address")
        }
    }

    @Test(arguments: ["/user/resetPassword", "/confirm-email"])
    func `Every other page sends no referrer`(path: String) async throws {
        try await TestApp.with { app in
            let page = try await app.get("\(path)?token=x")
            #expect(page.headers[.referrerPolicy] == "no-referrer")
        }
    }
}
