import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import HappinessAPI

/// Manifest, service worker, offline page, and the pages' files.
@Suite struct WebAppTests {
    @Test(arguments: [("en", "How happy is your team?"), ("de", "Wie zufrieden ist dein Team?")])
    func `The manifest is in the language of the page, and its icons exist`(
        language: String, words: String
    ) async throws {
        try await TestApp.with { app in
            let response = try await app.get("/manifest.webmanifest?language=\(language)")
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "application/manifest+json")
            #expect(response.headers[.cacheControl] == "private, no-cache")
            let manifest = response.object
            #expect(manifest["lang"] as? String == language)
            #expect((manifest["description"] as? String)?.contains(words) == true)
            for (key, value) in [("id", "/"), ("start_url", "/"), ("scope", "/"), ("display", "standalone")] {
                #expect(manifest[key] as? String == value)
            }
            let icons = try #require(manifest["icons"] as? [[String: String]])
            #expect(Set(icons.compactMap { $0["purpose"] }) == ["any", "maskable"])
            for icon in icons {
                let file = try await app.get(try #require(icon["src"]))
                #expect(file.status == .ok && file.headers[.contentType] == icon["type"])
                #expect(file.headers[.cacheControl] == "public, max-age=31536000, immutable")
            }
        }
    }

    @Test func `Files are compressed for clients that accept it, and pages never`() async throws {
        try await TestApp.with { app in
            let path = "/assets/app.css"
            let plain = try await app.get(path)
            #expect(plain.headers[.contentEncoding] == nil && plain.headers[.vary] == "Accept-Encoding")
            for (accepted, isCompressed) in [("gzip, deflate, br", true), ("br, GZIP", true), ("gzip;q=0", false)] {
                let file = try await app.get(path, headers: [.acceptEncoding: accepted])
                #expect((file.headers[.contentEncoding] == "gzip") == isCompressed, "\(accepted)")
                #expect(file.headers[.eTag] == plain.headers[.eTag])
                let bytes = Array(file.body.readableBytesView)
                #expect(bytes.starts(with: [0x1f, 0x8b]) == isCompressed)
                #expect((bytes.count < plain.body.readableBytes / 3) == isCompressed)
            }
            let tag = try #require(plain.headers[.eTag])
            // As it is, and as proxies pass it on: made strong, or with the coding in it.
            for sent in [tag, "\(tag.dropFirst(2))", "\(tag.dropLast())-gzip\"", "\"other\", \(tag.dropLast())-br\""] {
                let known = try await app.get(path, headers: [.acceptEncoding: "gzip", .ifNoneMatch: sent])
                #expect(known.status == .notModified && known.headers[.vary] == "Accept-Encoding", "\(sent)")
            }
            let page = try await app.get("/login", headers: [.acceptEncoding: "gzip"])
            #expect(page.headers[.contentEncoding] == nil)
        }
    }

    @Test func `A tab finds an icon, and a password manager the page for another password`() async throws {
        try await TestApp.with { app in
            let icon = try await app.get("/favicon.ico")
            let file = try await app.get("/assets/icon-192.png")
            #expect(icon.status == .ok && icon.body == file.body && icon.headers[.contentType] == "image/png")
            #expect(icon.headers[.cacheControl] == "public, max-age=86400")
            let way = try await app.get("/.well-known/change-password")
            #expect(way.status == .seeOther && way.headers[.location] == "/settings/password")
            // By this one they find out whether a server says that a page is missing (W3C, "Detecting the reliability
            // of HTTP status codes").
            let other = "resource-that-should-not-exist-whose-status-code-should-not-be-200"
            #expect(try await app.get("/.well-known/\(other)").status == .notFound)
        }
    }

    @Test func `The service worker is at the root and always requested again`() async throws {
        try await TestApp.with { app in
            let response = try await app.get("/service-worker.js")
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "text/javascript; charset=utf-8")
            #expect(response.headers[.cacheControl] == "private, no-cache")
            #expect(response.headers[.contentSecurityPolicy] == "default-src 'none'; connect-src 'self'")
            let tag = try #require(response.headers[.eTag])
            let again = try await app.get("/service-worker.js", headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
        }
    }

    @Test(arguments: PageLanguage.allCases)
    func `The service worker caches existing and impersonal files only`(language: PageLanguage) async throws {
        try await TestApp.with { app in
            let worker = try await app.get("/service-worker.js").text
            let head = try #require(worker.firstMatch(of: /^const SHELL = (\{.*\});\n/)?.output.1)
            let shell = try #require(try JSONSerialization.jsonObject(with: Data(head.utf8)) as? [String: Any])
            let assets = try #require(shell["assets"] as? [String])
            let offlinePages = try #require(shell["offline"] as? [String: String])
            let offline = try #require(offlinePages[language.rawValue])
            #expect(assets.allSatisfy { $0.hasPrefix("/assets/") } && assets.contains { $0.hasSuffix("/app.css") })
            for address in assets + [offline] {
                // As the service worker requests it: without a cookie.
                let file = try await app.get(address)
                #expect(file.status == .ok, "\(address)")
                #expect(file.headers[.setCookie] == nil, "\(address)")
            }
            let page = try await app.get(offline)
            expectPage(page, language: language.rawValue)
            for file in page.text.matches(of: /(?:href|src)="(\/assets\/[^"]+\.(?:css|js|svg))"/) {
                #expect(assets.contains(String(file.output.1)), "\(file.output.1)")
            }
            #expect(page.text.contains("href=\"\""), "the way to try again leads to the page that did not come")
        }
    }

    @Test func `A file is cached for good only under its version`() async throws {
        try await TestApp.with { app in
            let page = try await app.get("/login").text
            let address = try #require(page.firstMatch(of: /"(\/assets\/v\/[0-9a-f]{16}\/style\.css)"/)?.output.1)
            let kept = try await app.get(String(address))
            #expect(kept.headers[.cacheControl] == "public, max-age=31536000, immutable")
            for other in ["/assets/style.css", "/assets/v/0123456789abcdef/style.css"] {
                let file = try await app.get(other)
                #expect(file.status == .ok && file.headers[.cacheControl] == "private, no-cache", "\(other)")
                #expect(file.body == kept.body)
            }
            for missing in ["/assets/none.css", "\(address)x", "/assets/v/x/..%2fopenapi.yaml"] {
                #expect(try await app.get(missing).status == .notFound, "\(missing)")
            }
        }
    }
}
