import Foundation
import Outbound
import Ports

/// A URL with its signature in the query: anyone who has it can make this one request until it expires
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
struct PresignedURL: Sendable {
    /// Seconds; the store rejects longer ones.
    static let lifetimes = 1...604_800

    let text: String

    /// - Parameters:
    ///   - origin: scheme, host and port.
    ///   - path: absolute, not encoded.
    ///   - date: start of its lifetime.
    ///   - lifetime: seconds; clamped to `lifetimes`.
    init(
        method: String, origin: String, path: String, credentials: S3Credentials, region: String, date: Date,
        lifetime: Int
    ) {
        let scope = CredentialScope(date: date, region: region)
        let seconds = min(max(lifetime, Self.lifetimes.lowerBound), Self.lifetimes.upperBound)
        var query = [
            (name: "X-Amz-Algorithm", value: StringToSign.algorithm),
            (name: "X-Amz-Credential", value: "\(credentials.accessKeyID)/\(scope.text)"),
            (name: "X-Amz-Date", value: scope.timestamp),
            (name: "X-Amz-Expires", value: String(seconds)),
            (name: "X-Amz-SignedHeaders", value: "host"),
        ]
        if let token = credentials.sessionToken {
            query.append((name: "X-Amz-Security-Token", value: token.value))
        }
        let request = CanonicalRequest(
            method: method, path: path, query: query, headers: [("host", Self.host(of: origin))], payload: .unsigned)
        let signature = SigningKey(secret: credentials.secretAccessKey, scope: scope)
            .signature(of: StringToSign(request, scope: scope))
        text = "\(origin)\(PercentEncoding.path(path))?\(CanonicalRequest.encode(query))&X-Amz-Signature=\(signature)"
    }

    /// The `Host` header of a client: includes the port if the origin has one.
    static func host(of origin: String) -> String {
        origin.split(separator: "/", maxSplits: 2).last.map(String.init) ?? origin
    }
}
