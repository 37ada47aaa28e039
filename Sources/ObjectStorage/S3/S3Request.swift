import Domain
import Ports

/// A request to a bucket.
struct S3Request: Sendable {
    /// In upper case.
    let method: String
    /// The object; `nil` for the bucket itself.
    let key: ObjectKey?
    /// Names and values, not encoded.
    var query: [(name: String, value: String)] = []
    /// In addition to `host` and those of the signature.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Maximum size of the response in bytes. A longer one is not from the store.
    let responseLimit: Int

    /// Absolute, not encoded.
    func path(in settings: S3Settings) -> String { Self.path(of: key, in: settings) }

    static func path(of key: ObjectKey?, in settings: S3Settings) -> String {
        switch settings.addressing {
        case .path: "/\(settings.bucket)\(key.map { "/\($0.text)" } ?? "")"
        case .host: "/\(key?.text ?? "")"
        }
    }
}
