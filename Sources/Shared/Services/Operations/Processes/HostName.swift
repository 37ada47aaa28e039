#if canImport(Glibc)
import Glibc
#endif

/// The machine's name.
package enum HostName {
    /// As the kernel has it. `ProcessInfo.hostName` queries the network for a longer one, which can take seconds.
    package static let current: String = {
        // HOST_NAME_MAX of Linux is 64.
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "?" }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }()
}
