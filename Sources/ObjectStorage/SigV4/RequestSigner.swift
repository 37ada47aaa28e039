import Foundation
import Ports

/// Signs requests in their headers
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-auth-using-authorization-header.html).
struct RequestSigner: Sendable {
    let credentials: S3Credentials
    let region: String

    /// The headers to send, including the given ones. All of them are signed: `host`, every `x-amz-…` and
    /// `content-type` must be, and an unsigned one could be changed in transit.
    /// - Parameters:
    ///   - path: absolute, not encoded.
    ///   - query: not encoded; must be sent as `CanonicalRequest.encode` writes it.
    ///   - headers: `host` and others, without `authorization` and `x-amz-…`.
    ///   - date: at most 15 minutes off the store's clock.
    func headers(
        method: String, path: String, query: [(name: String, value: String)], headers: [(name: String, value: String)],
        body: [UInt8], date: Date
    ) -> [(name: String, value: String)] {
        let scope = CredentialScope(date: date, region: region)
        let payload = PayloadHash.of(body)
        var signed = headers + [("x-amz-content-sha256", payload.text), ("x-amz-date", scope.timestamp)]
        if let token = credentials.sessionToken { signed.append(("x-amz-security-token", token.value)) }
        let request = CanonicalRequest(method: method, path: path, query: query, headers: signed, payload: payload)
        return signed + [("authorization", authorization(request, scope: scope))]
    }

    /// Value of the `Authorization` header.
    func authorization(_ request: CanonicalRequest, scope: CredentialScope) -> String {
        let signature = SigningKey(secret: credentials.secretAccessKey, scope: scope)
            .signature(of: StringToSign(request, scope: scope))
        return "\(StringToSign.algorithm) Credential=\(credentials.accessKeyID)/\(scope.text),"
            + "SignedHeaders=\(request.signedHeaders),Signature=\(signature)"
    }
}
