import Domain
import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The network that a client belongs to: what limits count callers by who are not logged in.
enum ClientNetwork {
    /// An IPv4 address unchanged; the first 64 bits of an IPv6 address, because one subscriber has all of the rest (RFC
    /// 4291 §2.5.4). Any other text is used as it is.
    static func name(of address: String) -> String {
        let unscoped = String(address.prefix { $0 != "%" })
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, unscoped, &v6) == 1 else { return address }
        let bytes = withUnsafeBytes(of: v6) { Array($0) }
        // ::ffff:a.b.c.d is an IPv4 address as reported by a dual-stack socket (RFC 4291 §2.5.5.2).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return bytes.prefix(8).hexadecimal + "/64"
    }
}
