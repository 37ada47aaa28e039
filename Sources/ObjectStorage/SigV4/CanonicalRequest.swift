import Crypto
import Domain
import Outbound

/// A request in the canonical form that client and server sign
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "Task 1").
struct CanonicalRequest: Equatable, Sendable {
    /// All six parts, one per line.
    let text: String
    /// Names of the signed headers: lower case, sorted, separated by `;`.
    let signedHeaders: String

    /// - Parameters:
    ///   - method: in upper case.
    ///   - path: absolute, not encoded.
    ///   - query: names and values, not encoded, in any order.
    ///   - headers: those to sign. Names in any case and order, without duplicates.
    init(
        method: String, path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)], payload: PayloadHash
    ) {
        let headers = headers.map { (name: $0.name.lowercased(), value: Self.trimmed($0.value)) }
            .sorted { $0.name < $1.name }
        signedHeaders = headers.map(\.name).joined(separator: ";")
        text = [
            method,
            PercentEncoding.path(path),
            Self.encode(query),
            headers.map { "\($0.name):\($0.value)\n" }.joined(),
            signedHeaders,
            payload.text,
        ].joined(separator: "\n")
    }

    /// In hexadecimal.
    var hash: String { SHA256.hash(data: Array(text.utf8)).hexadecimal }

    /// A query in its canonical form, in which it is also sent: sorted by encoded name, then value, with a `=` after
    /// every name.
    static func encode(_ query: [(name: String, value: String)]) -> String {
        query.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Without surrounding spaces, and with runs of spaces replaced by one.
    private static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
}
