import CVips
import Glibc
import PictureToolInterface

/// Restrictions that the process sets on itself before it reads any untrusted input.
enum Confinement {
    /// Seconds of CPU time. A picture of a hundred megapixels takes one.
    private static let processorSeconds = 10
    /// Seconds of real time. The API kills the process sooner; this limit applies if the API has died.
    private static let clockSeconds = 40

    /// Limits time, open files and file size; disables core dumps, empties the environment, and silences standard
    /// error.
    static func limitResources() throws(PictureVerdict) {
        clearenv()
        guard cvips_keep_little_memory() == 0 else { throw .systemFault }
        alarm(UInt32(clockSeconds))
        // The hard limit sends SIGKILL, which would hide the reason (getrlimit(2)).
        try limit(RLIMIT_CPU, to: processorSeconds, hard: processorSeconds + 1)
        try limit(RLIMIT_CORE, to: 0)
        try limit(RLIMIT_NOFILE, to: 64)
        // Bytes. Standard output may be a file.
        try limit(RLIMIT_FSIZE, to: 8 << 20)
        let nowhere = unsafe open("/dev/null", O_WRONLY)
        guard nowhere >= 0, dup2(nowhere, STDERR_FILENO) >= 0 else { throw .systemFault }
        close(nowhere)
    }

    /// Limits the address space to its current size, which is mostly libraries, plus `bytes`.
    /// - Parameter bytes: all of it may become resident memory.
    static func limitMemory(toFurther bytes: Int) throws(PictureVerdict) {
        try limit(RLIMIT_AS, to: addressSpace() + bytes)
    }

    /// See `cvips_close_file_system`.
    static func closeFileSystem() throws(PictureVerdict) {
        // Landlock requires this first (landlock_restrict_self(2)).
        guard cvips_keep_privileges_low() == 0, cvips_close_file_system() == 0 else { throw .systemFault }
    }

    /// See `cvips_close_system_calls`.
    static func closeSystemCalls() throws(PictureVerdict) {
        guard cvips_keep_privileges_low() == 0, cvips_close_system_calls() == 0 else { throw .systemFault }
    }

    private static func limit(_ resource: __rlimit_resource, to value: Int, hard: Int? = nil) throws(PictureVerdict) {
        var limits = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(hard ?? value))
        guard unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limits) == 0 else { throw .systemFault }
    }

    /// Bytes, from the first number in /proc/self/statm, which counts pages (proc(5)).
    private static func addressSpace() throws(PictureVerdict) -> Int {
        let file = unsafe open("/proc/self/statm", O_RDONLY)
        guard file >= 0 else { throw .systemFault }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(file, &text, text.count)
        let digits = text.prefix(max(count, 0)).prefix { $0 != UInt8(ascii: " ") }
        guard let pages = Int(String(decoding: digits, as: UTF8.self)) else { throw .systemFault }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
