import Foundation
import TestSupport
import Testing

/// Standard output or error that cannot be written ends no program.
@Suite struct OutputTests {
    enum Fault: CaseIterable {
        case closed, full, brokenPipe

        /// A line of bash that runs a program with this fault at a descriptor.
        func shell(_ descriptor: Int) -> String {
            // The test may run where SIGPIPE is ignored.
            let start = #"exec env --default-signal=PIPE "$@""#
            return switch self {
            case .closed: "\(start) \(descriptor)>&-"
            case .full: "\(start) \(descriptor)>/dev/full"
            // The reader has ended when the program starts.
            case .brokenPipe: "exec 9> >(:); wait $!; \(start) \(descriptor)>&9 9>&-"
            }
        }
    }

    @Test(arguments: Fault.allCases, ["text", "json"])
    func `API and worker run without a place for their log`(fault: Fault, format: String) async throws {
        try await Installation.with(.sqlite) { installation in
            let other = ["LOG_FORMAT": format, "LOG_LEVEL": "trace", "PORT": "0"]
            let settings = installation.settings.merging(other) { $1 }
            let server = try await ServerProcess.launch(
                .api, settings: settings, in: installation.directory, shell: fault.shell(2))
            // Printed after the first lines of the log.
            try await eventually("the link is printed", within: .seconds(30)) { server.output.contains("/setup?") }
            server.terminate()
            #expect(try await server.untilEnd() == 0)
            let worker = try await ServerProcess.run(
                .worker, ["--once"], settings: settings, in: installation.directory, shell: fault.shell(2))
            #expect(worker.status == 0)
            // No line of the log went into a file that got the number of standard error.
            let check = try await installation.run(.api, "check")
            #expect(check.status == 0, "\(check.log)")
            let refused = try await ServerProcess.run(
                .api, ["user", "disable", "nobody"], settings: settings, in: installation.directory,
                shell: fault.shell(2))
            #expect(refused.status == 1)
        }
    }

    @Test(arguments: Fault.allCases)
    func `API and worker run when nobody can read what they show`(fault: Fault) async throws {
        try await Installation.with(.sqlite) { installation in
            let user = try await installation.run(.api, "user", "add", "paul", "paul@example.org")
            #expect(user.status == 0, "\(user.log)")
            let (server, url) = try await ServerProcess.serve(
                settings: installation.settings, in: installation.directory, shell: fault.shell(1))
            try await eventually("the API says where to get a link", within: .seconds(10)) {
                server.log.contains("/HappinessAPI setup")
            }
            let reset = try await HTTPProbe.post(
                "\(url)/api/v1/auth/password-reset", json: #"{"email":"paul@example.org"}"#)
            #expect(reset.status == 202, "\(reset.text)")
            server.terminate()
            #expect(try await server.untilEnd() == 0)
            // It prints the link in the mail.
            let worker = try await ServerProcess.run(
                .worker, ["--once"], settings: installation.settings, in: installation.directory,
                shell: fault.shell(1))
            #expect(worker.status == 0, "\(worker.log)")
            let mails = try FileManager.default.contentsOfDirectory(atPath: installation.directory.path("data/outbox"))
            #expect(mails.count { $0.hasSuffix(".eml") } == 1, "\(mails)")
        }
    }

    @Test(arguments: Fault.allCases)
    func `A command fails if its result cannot be written`(fault: Fault) async throws {
        try await Installation.with(.sqlite) { installation in
            let user = try await installation.run(.api, "user", "add", "paul", "paul@example.org")
            #expect(user.status == 0, "\(user.log)")
            for arguments in [
                ["user", "list"], ["team", "add", "Team"], ["export", "-"], ["migrate", "--status"], ["backup-key"],
                ["backup", "-"],
                ["config", "check"], ["doctor"], ["caller-files", "backup", "file"],
            ] {
                let lost = try await ServerProcess.run(
                    .api, arguments, settings: installation.settings, in: installation.directory,
                    shell: fault.shell(1))
                #expect(lost.status == 1, "\(arguments)")
                #expect(lost.log.hasPrefix("Error: The output cannot be written: "), "\(arguments): \(lost.log)")
            }
        }
    }
}
