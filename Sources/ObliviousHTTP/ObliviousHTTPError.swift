/// Why a message was not read.
package enum ObliviousHTTPError: Error, Hashable, Sendable {
    /// It does not have the format of RFC 9292 or RFC 9458.
    case malformed
    /// It is encrypted for another key, or has been changed. A client should fetch the key again (RFC 9458 §5.3).
    case wrongKey
}
