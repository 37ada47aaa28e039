import Crypto

extension WebPushSubscription {
    /// Bytes of a point of P-256 in its uncompressed form: 4, x, y (RFC 8291 §3.1).
    static let publicKeyLength = 65
    /// Bytes of `auth` (RFC 8291 §3.2).
    static let authenticationSecretLength = 16

    /// A subscription as returned by a browser, validated as untrusted input: the server will post to its endpoint, and
    /// its key is used in a computation with one of the server's secrets.
    /// - Parameters:
    ///   - endpoint: `endpoint` of `PushSubscription.toJSON()`.
    ///   - p256dh: `keys.p256dh`, base64url without padding, as browsers write it.
    ///   - auth: `keys.auth`, likewise.
    ///   - policy: the allowed push services.
    /// - Throws: `AppError.unprocessable` (`push-endpoint-not-allowed`, `push-keys-not-valid`).
    package static func validated(
        endpoint: String, p256dh: String, auth: String, policy: WebPushPolicy
    ) throws(AppError) -> WebPushSubscription {
        guard WebPushEndpoint(endpoint, policy: policy) != nil else {
            throw AppError(
                .unprocessable, "This server doesn’t send messages through this browser’s push service.",
                reason: .pushEndpointNotAllowed)
        }
        guard let publicKey = [UInt8](base64URL: p256dh), isOnCurve(publicKey),
            let secret = [UInt8](base64URL: auth), secret.count == authenticationSecretLength
        else {
            throw AppError(
                .unprocessable, "The subscription’s keys aren’t those of a browser.", reason: .pushKeysNotValid)
        }
        return WebPushSubscription(endpoint: endpoint, publicKey: publicKey, authenticationSecret: secret)
    }

    /// Computing with a point that is not on the curve can reveal our key (RFC 7748 §7, NIST SP 800-56A §5.6.2.3);
    /// BoringSSL rejects such a point when it parses it.
    private static func isOnCurve(_ point: [UInt8]) -> Bool {
        guard point.count == publicKeyLength, point.first == 4 else { return false }
        do {
            _ = try P256.KeyAgreement.PublicKey(x963Representation: point)
            return true
        } catch {
            return false
        }
    }
}
