import Foundation
import Ports
import Testing

@testable import ObjectStorage

/// Compares signatures with those published by Amazon.
@Suite struct SigningVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let name: String
        var method = "GET"
        var path = "/"
        var query: [(name: String, value: String)] = []
        var headers: [(name: String, value: String)] = []
        var body = ""
        /// Hash of the canonical request, if Amazon publishes it.
        var hash: String?
        let signature: String

        var testDescription: String { name }
    }

    /// Friday, 24 May 2013, 00:00 UTC.
    private static let date = Date(timeIntervalSince1970: 1_369_353_600)
    private static let host = "examplebucket.s3.amazonaws.com"
    private static let signer = RequestSigner(
        credentials: ObjectStoreFixtures.settings(endpoint: "").credentials, region: "us-east-1")

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "Examples: Signature
    /// Calculations".
    static let examples = [
        Vector(
            name: "GET Object", path: "/test.txt", headers: [("Range", "bytes=0-9")],
            hash: "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Vector(
            name: "PUT Object", method: "PUT", path: "/test$file.text",
            headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: "Welcome to Amazon S3.",
            hash: "9e0e90d9c76de8fa5b200d8c849cd5b8dc7a3be3951ddb7f6a76b4158342019d",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Vector(
            name: "GET Bucket Lifecycle", query: [("lifecycle", "")],
            hash: "9766c798316ff2757b517bc739a67f6213b4ab36dd5da2f94eaebf79c77395ca",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Vector(
            name: "GET Bucket (List Objects)", query: [("prefix", "J"), ("max-keys", "2")],
            hash: "df57d21db20da04d7fa30298dd4488ba3a2b47ca3a489c74750e0f1e7df1b9b7",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples)
    func `The examples of S3's documentation get the documented signatures`(vector: Vector) throws {
        let body = Array(vector.body.utf8)
        let headers = Self.signer.headers(
            method: vector.method, path: vector.path, query: vector.query,
            headers: [("Host", Self.host)] + vector.headers, body: body, date: Self.date)
        let authorization = try #require(headers.first { $0.name == "authorization" }?.value)
        #expect(authorization.hasSuffix(",Signature=\(vector.signature)"))
        #expect(
            authorization.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="))
        let canonical = CanonicalRequest(
            method: vector.method, path: vector.path, query: vector.query,
            headers: headers.filter { $0.name != "authorization" }, payload: .of(body))
        #expect(canonical.hash == vector.hash)
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, "An Example".
    @Test func `The example of a presigned URL gets the documented signature`() {
        let url = PresignedURL(
            method: "GET", origin: "https://\(Self.host)", path: "/test.txt", credentials: Self.signer.credentials,
            region: "us-east-1", date: Self.date, lifetime: 86_400)
        #expect(
            url.text == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    /// Amazon's suite for all services (aws-sig-v4-test-suite), as far as S3 has the same rules: it neither resolves
    /// `..` nor encodes twice.
    static let suite = [
        Vector(
            name: "get-vanilla", hash: "bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
            signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "post-vanilla", method: "POST",
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            name: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            name: "get-utf8", path: "/ሴ",
            signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            name: "get-unreserved", path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Vector(
            name: "get-vanilla-utf8-query", query: [("ሴ", "bar")],
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            name: "get-header-value-trim", headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    ]

    @Test(arguments: suite)
    func `The test suite for all services gets the documented signatures`(vector: Vector) {
        let credentials = S3Credentials(
            accessKeyID: "AKIDEXAMPLE", secretAccessKey: SecretText("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"))
        // Sunday, 30 August 2015, 12:36 UTC.
        let scope = CredentialScope(
            date: Date(timeIntervalSince1970: 1_440_938_160), region: "us-east-1", service: "service")
        let request = CanonicalRequest(
            method: vector.method, path: vector.path, query: vector.query,
            headers: [("Host", "example.amazonaws.com"), ("X-Amz-Date", scope.timestamp)] + vector.headers,
            payload: .of([]))
        if let hash = vector.hash { #expect(request.hash == hash) }
        let authorization = RequestSigner(credentials: credentials, region: "us-east-1")
            .authorization(request, scope: scope)
        #expect(authorization.hasSuffix("Signature=\(vector.signature)"))
    }

    @Test func `A query is sorted by its encoded names`() {
        #expect(CanonicalRequest.encode([("b", "1"), ("a", "2"), ("a", "1"), ("ä", "")]) == "%C3%A4=&a=1&a=2&b=1")
    }
}
