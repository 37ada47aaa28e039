import Crypto
import Domain
import Ports

/// A key for one day, region and service, derived from the secret key
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, "Task 3").
struct SigningKey: Sendable {
    private let key: SymmetricKey

    init(secret: SecretText, scope: CredentialScope) {
        var key = SymmetricKey(data: Array("AWS4\(secret.value)".utf8))
        for part in [scope.day, scope.region, scope.service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        self.key = key
    }

    /// In hexadecimal.
    func signature(of string: StringToSign) -> String {
        HMAC<SHA256>.authenticationCode(for: Array(string.text.utf8), using: key).hexadecimal
    }
}
