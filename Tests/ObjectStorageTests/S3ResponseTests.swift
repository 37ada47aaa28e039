import Domain
import Foundation
import NIOHTTP1
import Ports
import Testing

@testable import ObjectStorage

/// How a store's responses are interpreted; those that OpenStack Swift does not send are made up from Amazon's
/// documentation.
@Suite struct S3ResponseTests {
    private typealias Fixtures = ObjectStoreFixtures

    /// Saturday, 21 November 2026, 00:28:51 UTC.
    private static let now = Date(timeIntervalSince1970: 1_795_220_931)

    private static func failure(
        _ status: Int, _ code: String? = nil, fields: String = "", headers: HTTPHeaders = [:]
    ) -> S3Failure {
        let body = code.map { Fixtures.error($0, fields: fields) } ?? "<html>"
        return S3Rejection(
            S3Response(status: status, headers: headers, body: Array(body.utf8)), bucketSetting: "S3_BUCKET", at: now
        ).failure
    }

    @Test(arguments: [
        (503, "SlowDown"), (500, "InternalError"), (503, "ServiceUnavailable"), (400, "RequestTimeout"),
        (500, nil), (502, nil), (503, nil), (504, nil), (429, nil), (408, nil), (503, "SomethingNew"),
    ])
    func `A passing error is tried again, and Retry-After is respected`(status: Int, code: String?) {
        #expect(Self.failure(status, code).isPassing)
        #expect(Self.failure(status, code, headers: ["Retry-After": "3"]).retryAfter == .seconds(3))
    }

    @Test(arguments: [
        (403, "InvalidAccessKeyId", "S3_ACCESS_KEY_ID"), (403, "SignatureDoesNotMatch", "S3_SECRET_ACCESS_KEY"),
        (400, "ExpiredToken", "S3_SESSION_TOKEN"), (404, "NoSuchBucket", "S3_BUCKET"),
        (400, "InvalidBucketName", "S3_BUCKET"), (403, "AccessDenied", "s3:ListBucket"),
        (400, "SomethingNew", "refuses"), (404, nil, "S3_ENDPOINT"), (401, nil, "S3_ENDPOINT"),
        (302, nil, "S3_ENDPOINT"), (403, "RequestTimeTooSkewed", "clock"),
    ])
    func `An error for the operator names the setting`(status: Int, code: String?, word: String) throws {
        let failure = Self.failure(status, code)
        guard case .misconfigured(let text) = failure.error else {
            Issue.record("\(failure)")
            return
        }
        #expect(text.contains(word))
        #expect(text.hasSuffix(code.map { "(\(status) \($0))" } ?? "(\(status))"))
        #expect(!failure.isPassing)
    }

    @Test(arguments: [413, 507])
    func `A full store is unavailable and not asked again`(status: Int) {
        let failure = Self.failure(status)
        #expect(
            failure == .lasting("The object store is full, or what S3_ACCESS_KEY_ID may store is used up (\(status))"))
    }

    @Test func `The region is taken from the error or the header`() {
        let told = Self.failure(400, "AuthorizationHeaderMalformed", fields: "<Region>eu-central-1</Region>")
        #expect(
            told.error
                == .misconfigured(
                    "S3_REGION must be eu-central-1, where the bucket in S3_BUCKET is (400 AuthorizationHeaderMalformed)"
                ))
        let moved = Self.failure(301, "PermanentRedirect", headers: ["x-amz-bucket-region": "eu-west-1"])
        #expect(
            moved.error
                == .misconfigured(
                    "S3_REGION must be eu-west-1, where the bucket in S3_BUCKET is (301 PermanentRedirect)"))
        let bare = Self.failure(301, headers: ["x-amz-bucket-region": "eu-west-1"])
        #expect(bare.error == .misconfigured("S3_REGION must be eu-west-1, where the bucket in S3_BUCKET is (301)"))
    }

    @Test(arguments: [
        ("Sat, 21 Nov 2026 01:28:51 GMT", "it is 3600 s slow"), ("Fri, 20 Nov 2026 23:58:51 GMT", "it is 1800 s fast"),
        ("yesterday", "by more than 15 minutes"),
    ])
    func `The clock is compared with the store's`(date: String, words: String) {
        let failure = Self.failure(403, "RequestTimeTooSkewed", headers: ["Date": date])
        guard case .misconfigured(let text) = failure.error else {
            Issue.record("\(failure)")
            return
        }
        #expect(text.contains(words))
    }

    @Test func `A store's own words are never repeated`() {
        let failure = Self.failure(403, "a secret < word", fields: "<Region>not a\nregion</Region>")
        #expect(!String(describing: failure).contains("secret"))
        #expect(!String(describing: failure).contains("region\n"))
    }

    @Test func `A missing object is no error, but a missing page is`() {
        let missing = S3Response(status: 404, headers: [:], body: Array(Fixtures.error("NoSuchKey").utf8))
        #expect(S3Rejection(missing, bucketSetting: "S3_BUCKET", at: Self.now).isMissingObject)
        let page = S3Response(status: 404, headers: [:], body: Array("<html></html>".utf8))
        #expect(!S3Rejection(page, bucketSetting: "S3_BUCKET", at: Self.now).isMissingObject)
    }

    @Test(arguments: [
        "", "no XML", "<a", "<a></b>", "{\"a\": 1}",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
        "<?xml version=\"1.0\"?><!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
        String(repeating: "<a>", count: 9) + String(repeating: "</a>", count: 9),
    ])
    func `A document that is not plain is not read`(text: String) {
        #expect(S3Document.parse(Array(text.utf8)) == nil)
    }

    @Test func `Foreign keys in a list are left out`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><KeyCount>3</KeyCount>
            <IsTruncated>true</IsTruncated><NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=</NextContinuationToken>
            <Contents><Key>a%2Fb</Key><LastModified>2026-11-21T00:28:51.000Z</LastModified><Size>5</Size></Contents>
            <Contents><Key>Not%20ours</Key><LastModified>2026-11-21T00:28:51Z</LastModified><Size>6</Size></Contents>
            <Contents><Key>c.webp</Key><LastModified>2026-11-21T00:28:51Z</LastModified><Size>7</Size></Contents>
            </ListBucketResult>
            """
        let listing = try #require(S3Listing(Array(text.utf8)))
        #expect(listing.objects.map(\.key.text) == ["a/b", "c.webp"])
        #expect(listing.objects.map(\.size) == [5, 7])
        #expect(listing.objects.allSatisfy { $0.modifiedAt == Self.now })
        #expect(listing.continuation == "1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=")
        #expect(S3Listing(Array("<html></html>".utf8)) == nil)
    }

    @Test func `Waits grow with jitter up to a limit, and Retry-After comes first`() {
        let timing = S3Timing(firstWait: .milliseconds(200), longestWait: .seconds(2))
        #expect(timing.wait(afterAttempt: 1, retryAfter: nil, random: 0) == .zero)
        #expect(timing.wait(afterAttempt: 1, retryAfter: nil, random: 0.5) == .milliseconds(100))
        #expect(timing.wait(afterAttempt: 3, retryAfter: nil, random: 0.5) == .milliseconds(400))
        #expect(timing.wait(afterAttempt: 50, retryAfter: nil, random: 0.5) == .seconds(1))
        #expect(timing.wait(afterAttempt: 1, retryAfter: .seconds(3), random: 0) == .seconds(3))
    }
}
