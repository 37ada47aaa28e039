/// The string to sign: the hash of a canonical request, and the signature's scope
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "Task 2").
struct StringToSign: Equatable, Sendable {
    /// Also the value of `X-Amz-Algorithm`.
    static let algorithm = "AWS4-HMAC-SHA256"

    let text: String

    init(_ request: CanonicalRequest, scope: CredentialScope) {
        text = [Self.algorithm, scope.timestamp, scope.text, request.hash].joined(separator: "\n")
    }
}
