import Foundation

/// Whether a program can listen on a port. A server's own error names neither the setting nor the remedy.
package enum ListeningCheck {
    /// Opens the port for a moment.
    /// - Parameters:
    ///   - host: an address of this machine, or its name: the setting `HOST`.
    ///   - port: 0 takes a free one.
    ///   - setting: the key of the port.
    /// - Throws: `OperatorError` with cause and remedy.
    package static func require(host: String, port: Int, setting: String) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee else {
            throw noAddress(host)
        }
        defer { freeaddrinfo(found) }
        let place = "Port \(port) (\(setting)) of \(host) (HOST)"
        switch bindError(address) {
        case 0: return
        case EADDRNOTAVAIL: throw noAddress(host)
        case EADDRINUSE:
            throw OperatorError(
                "\(place) is in use: another program listens there. Stop that, or set another \(setting).")
        case EACCES:
            throw OperatorError(
                "\(place) is not for the user this program runs as: ports below 1024 are for root. Set a higher "
                    + "\(setting), and put a proxy in front.")
        case let code: throw OperatorError("\(place) cannot be opened: \(String(cString: strerror(code))).")
        }
    }

    private static func noAddress(_ host: String) -> OperatorError {
        OperatorError("HOST is \(host), which is not an address of this machine. 0.0.0.0 means all its addresses.")
    }

    /// - Returns: `errno`, or 0.
    private static func bindError(_ address: addrinfo) -> Int32 {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As the server does: closed connections of an earlier process do not matter.
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno
    }
}
