import Foundation
import Ports
import Testing

@testable import ObjectStorage

/// The addresses of requests and links, and which parts are signed.
@Suite struct S3RequestTests {
    private typealias Fixtures = ObjectStoreFixtures

    /// Friday, 24 May 2013, 00:00 UTC.
    private static let date = Date(timeIntervalSince1970: 1_369_353_600)

    @Test func `In path style, the bucket is the first part of the path`() throws {
        let settings = Fixtures.settings(endpoint: "http://127.0.0.1:9000")
        #expect(settings.origin(of: settings.endpoint) == "http://127.0.0.1:9000")
        #expect(S3Request.path(of: Fixtures.key("a/b"), in: settings) == "/examplebucket/a/b")
        #expect(S3Request.path(of: nil, in: settings) == "/examplebucket")
    }

    @Test func `In host style, the bucket is the first label of the signed host`() throws {
        let settings = Fixtures.settings(endpoint: "https://s3.example.org:8443", addressing: .host)
        #expect(settings.linkOrigin == "https://examplebucket.s3.example.org:8443")
        #expect(S3Request.path(of: nil, in: settings) == "/")
        let host = PresignedURL.host(of: settings.origin(of: settings.endpoint))
        let request = CanonicalRequest(
            method: "GET", path: S3Request.path(of: Fixtures.key("test.txt"), in: settings),
            headers: [("host", host)], payload: .unsigned)
        #expect(
            request.text == """
                GET
                /test.txt

                host:examplebucket.s3.example.org:8443

                host
                UNSIGNED-PAYLOAD
                """)
    }

    /// With the host of Amazon's example, the result equals the example.
    @Test func `A link in host style is that of Amazon's example`() async throws {
        let settings = Fixtures.settings(endpoint: "https://s3.amazonaws.com", addressing: .host)
        try await Fixtures.withClient { client in
            let store = Fixtures.store(settings, client)
            let link = try #require(
                store.link(to: Fixtures.key("test.txt"), from: Self.date, lifetime: .seconds(86_400)))
            #expect(link.hasPrefix("https://examplebucket.s3.amazonaws.com/test.txt?"))
            #expect(link.hasSuffix("aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
            #expect(link == store.link(to: Fixtures.key("test.txt"), from: Self.date, lifetime: .seconds(86_400)))
        }
    }

    @Test func `A link goes to the public endpoint`() async throws {
        let settings = S3Settings(
            endpoint: "http://minio:9000", publicEndpoint: "https://pictures.example.org", region: "us-east-1",
            bucket: "pictures", addressing: .path, credentials: Fixtures.settings(endpoint: "").credentials)
        #expect(settings.linkOrigin == "https://pictures.example.org")
        try await Fixtures.withClient { client in
            let store = Fixtures.store(settings, client)
            let link = try #require(store.link(to: Fixtures.key("a"), from: Self.date, lifetime: .seconds(60)))
            #expect(link.hasPrefix("https://pictures.example.org/pictures/a?"))
        }
    }

    @Test(arguments: [(0, 1), (-5, 1), (3_600, 3_600), (10_000_000, 604_800)])
    func `A link's lifetime stays within what S3 accepts`(asked: Int, given: Int) {
        let url = PresignedURL(
            method: "GET", origin: "https://s3.example.org", path: "/a",
            credentials: Fixtures.settings(endpoint: "").credentials, region: "us-east-1", date: Self.date,
            lifetime: asked)
        #expect(url.text.contains("X-Amz-Expires=\(given)&"))
    }

    @Test func `A session token is signed, in headers and in links`() throws {
        let credentials = Fixtures.settings(endpoint: "", token: "a/token+=").credentials
        let headers = RequestSigner(credentials: credentials, region: "us-east-1").headers(
            method: "GET", path: "/a", query: [], headers: [("host", "s3.example.org")], body: [], date: Self.date)
        #expect(headers.first { $0.name == "x-amz-security-token" }?.value == "a/token+=")
        let authorization = try #require(headers.first { $0.name == "authorization" }?.value)
        #expect(authorization.contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"))
        let url = PresignedURL(
            method: "GET", origin: "https://s3.example.org", path: "/a", credentials: credentials,
            region: "us-east-1", date: Self.date, lifetime: 60)
        #expect(url.text.contains("&X-Amz-Security-Token=a%2Ftoken%2B%3D&"))
    }

    @Test func `Every header that is sent is signed, including the content type`() throws {
        let signer = RequestSigner(credentials: Fixtures.settings(endpoint: "").credentials, region: "us-east-1")
        let headers = signer.headers(
            method: "PUT", path: "/a", query: [],
            headers: [("host", "s3.example.org"), ("content-type", "image/webp"), ("cache-control", "private")],
            body: [1], date: Self.date)
        let authorization = try #require(headers.first { $0.name == "authorization" }?.value)
        #expect(
            authorization.contains(
                "SignedHeaders=cache-control;content-type;host;x-amz-content-sha256;x-amz-date,"))
    }
}
