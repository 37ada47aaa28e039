package import Foundation
import Synchronization

/// Standard output and standard error of all programs: nothing that a program prints may end it.
///
/// `FileHandle.write` ends the process if a descriptor is closed or a disk is full. `print` keeps text until the
/// process ends if the output is a pipe, and reports no failure.
package enum ProgramOutput {
    private static let failure = Mutex<OutputError?>(nil)

    /// Prepares the process; the first call of every program. From then on, writing to a closed pipe fails, instead of
    /// ending the process with SIGPIPE.
    package static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        // Otherwise the next file that is opened gets the number of a closed descriptor, and then the log.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) == -1 {
            // It gets the lowest free number, which is this one. Writing to it fails, as it should.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Writes a line of what a command was started for to standard output. If that fails, `requireWritten` throws.
    package static func print(_ line: String) {
        do {
            try printBytes(Data("\(line)\n".utf8))
        } catch {
            failure.withLock { $0 = $0 ?? error }
        }
    }

    /// Writes what a command was started for to standard output.
    package static func printBytes(_ bytes: Data) throws(OutputError) {
        try send(bytes, to: STDOUT_FILENO)
    }

    /// Call it when a command has done its work.
    /// - Throws: why `print` could not write everything.
    package static func requireWritten() throws(OutputError) {
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Writes a line to standard output for people who may watch a program that runs for long.
    /// - Returns: whether it was written.
    @discardableResult
    package static func show(_ line: String) -> Bool {
        (try? send(Data("\(line)\n".utf8), to: STDOUT_FILENO)) != nil
    }

    /// Writes to standard error: a line of the log, an error, a prompt. A failure is ignored, since there is no other
    /// place to report it.
    package static func report(_ bytes: Data) {
        try? send(bytes, to: STDERR_FILENO)
    }

    /// Writes all bytes, if possible in one call, so that lines of several threads do not mix.
    private static func send(_ bytes: Data, to descriptor: Int32) throws(OutputError) {
        var rest = bytes
        while !rest.isEmpty {
            let (count, code) = rest.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) -> (Int, Int32) in
                let count = write(descriptor, buffer.baseAddress, buffer.count)
                return (count, errno)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if code == EAGAIN {
                // The parent process may have made the pipe non-blocking.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, -1)
            } else if code != EINTR {
                throw OutputError(code: code)
            }
        }
    }
}

/// Standard output cannot be written.
package struct OutputError: Error, Equatable, CustomStringConvertible {
    /// `errno`.
    let code: Int32

    /// For the person who started the program.
    package var description: String { "The output cannot be written: \(String(cString: strerror(code)))." }
}
