import Foundation
import Shared

/// A URL that carries its signature in its query: whoever has it can do this one thing until it ends
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
struct PresignedURL: Sendable {
    /// Seconds; longer ones are refused by the store.
    static let lifetimes = 1...604_800

    let text: String

    /// - Parameters:
    ///   - origin: scheme, host and port.
    ///   - path: absolute and not encoded.
    ///   - date: when its lifetime begins.
    ///   - lifetime: seconds; what is outside of `lifetimes` becomes the nearest that is inside.
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
        text = "\(origin)\(URIEncoding.path(path))?\(CanonicalRequest.encode(query))&X-Amz-Signature=\(signature)"
    }

    /// As a client sends it: with the port, if the origin has one.
    static func host(of origin: String) -> String {
        origin.split(separator: "/", maxSplits: 2).last.map(String.init) ?? origin
    }
}
