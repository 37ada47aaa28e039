import Shared

/// One thing asked of a bucket.
struct S3Request: Sendable {
    /// In capitals.
    let method: String
    /// The object; `nil` for the bucket itself.
    let key: ObjectKey?
    /// Not encoded.
    var query: [(name: String, value: String)] = []
    /// Besides `host` and those of the signature.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Bytes. A longer answer is not theirs.
    let answerLimit: Int

    /// Absolute, not encoded.
    func path(in settings: S3Settings) -> String {
        Self.path(of: key, in: settings)
    }

    static func path(of key: ObjectKey?, in settings: S3Settings) -> String {
        switch settings.addressing {
        case .path: "/\(settings.bucket)\(key.map { "/\($0.text)" } ?? "")"
        case .host: "/\(key?.text ?? "")"
        }
    }
}
