import Foundation
import Mongo
import Services
import Storage
import TestSupport
import Testing

/// Starts that must fail with a clear message, and stops that must lose nothing.
@Suite struct StartTests {
    @Test(arguments: Installation.Store.allCases)
    func `A changed ballot secret is refused`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            let (server, _) = try await installation.serve()
            let other = "another secret that is long enough too"
            let settings = ["BALLOT_SECRET": other, "PORT": "0"]
            for second in [
                try await installation.run(.api, settings: settings),
                // It would not find the receipts of users who delete their account.
                try await installation.run(.worker, "--once", settings: settings),
            ] {
                #expect(second.status > 0)
                #expect(second.log.contains("Setting BALLOT_SECRET must be"), "\(second.log)")
                #expect(!second.log.contains(other))
            }
            try await server.kill()
        }
    }

    @Test func `MongoDB without secrets is refused`() async throws {
        try await Installation.with(.mongodb) { installation in
            for key in ["JWT_SECRET", "BALLOT_SECRET"] {
                let settings = [key: nil as String?, "PORT": "0"]
                for refused in [
                    try await installation.run(.api, settings: settings),
                    try await installation.run(.worker, "--once", settings: settings),
                ] {
                    #expect(refused.status > 0)
                    #expect(refused.log.contains("Setting \(key) must be"), "\(refused.log)")
                }
            }
        }
    }

    @Test(arguments: ["mongodb://127.0.0.1:1/none?replicaSet=rs0", "sqlite:/proc/none/happiness.sqlite"])
    func `An unreachable store is reported in one line`(url: String) async throws {
        try await Installation.with(.sqlite) { installation in
            for program in [ServerProcess.Program.api, .worker] {
                let refused = try await installation.run(program, settings: ["DATABASE_URL": url, "PORT": "0"])
                #expect(refused.status > 0)
                let lines = refused.log.split(separator: "\n").filter { $0.hasPrefix("Error: ") }
                #expect(lines.count == 1, "\(refused.log)")
                #expect(!refused.log.contains("AppError("), "\(refused.log)")
                #expect(refused.log.contains("DATABASE_URL") || refused.log.contains("/proc/none"), "\(refused.log)")
            }
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `Only a command that may be the first one creates a store`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            let path = installation.directory.path
            let shown = try Settings(values: installation.settings).store.shown
            let place = store == .sqlite ? "Is DATA_DIR right, and the folder with .env?" : "Is DATABASE_URL right?"
            for arguments in [
                ["backup", path("backup")], ["export", path("export")], ["trial", path("trial")], ["check"],
                ["check", "--accept"], ["migrate"], ["migrate", "--status"], ["user", "list"], ["team", "list"],
                ["user", "invite", "anna@example.org"], ["user", "disable", "anna"], ["team", "delete", "Blue"],
                ["jobs", "list"],
            ] {
                let refused = try await ServerProcess.run(
                    .api, arguments, settings: installation.settings, in: installation.directory)
                #expect(refused.status == 1 && refused.output.isEmpty, "\(arguments)")
                let reason = "There is no store at \(shown). \(place) API and worker create a new one when they start."
                #expect(refused.log == "Error: \(reason)\n", "\(arguments)")
            }
            for name in ["data", "backup", "export", "trial"] {
                #expect(!FileManager.default.fileExists(atPath: path(name)), "\(name)")
            }
            if let uri = installation.settings["DATABASE_URL"] {
                let names = try await MongoClient(uri: uri).run { try $0.collectionNames() }
                #expect(names.isEmpty)
            }
            let setup = try await installation.run(.api, "setup")
            #expect(setup.status == 0 && setup.output.contains("/setup?token="), "\(setup.log)")
            #expect(try await installation.run(.api, "user", "list").status == 0)
        }
    }

    @Test func `An empty file, and one named by DATABASE_URL, are no store`() async throws {
        try await Installation.with(.sqlite) { installation in
            let file = installation.directory.path("other.sqlite")
            try Data().write(to: URL(filePath: file))
            let backup = installation.directory.path("backup")
            let settings = ["DATABASE_URL": "sqlite:\(file)"]
            let refused = try await installation.run(.api, "backup", backup, settings: settings)
            #expect(refused.status == 1)
            let reason = "There is no store at \(file). Is DATABASE_URL right?"
            #expect(refused.log.hasPrefix("Error: \(reason)"), "\(refused.log)")
            #expect(FileManager.default.contents(atPath: file) == Data())
            #expect(!FileManager.default.fileExists(atPath: backup))
        }
    }

    @Test func `A port or an address that cannot be had is named with its setting, and the store stays untouched`()
        async throws
    {
        try await Installation.with(.sqlite) { installation in
            let (server, url) = try await installation.serve()
            let number = try #require(URL(string: url)?.port)
            let port = "\(number)"
            for (program, settings, words) in [
                (ServerProcess.Program.api, ["PORT": port], "Port \(port) (PORT) of 127.0.0.1 (HOST) is in use"),
                (ServerProcess.Program.api, ["PORT": "0", "METRICS_PORT": port], "Port \(port) (METRICS_PORT)"),
                (ServerProcess.Program.worker, ["WORKER_METRICS_PORT": port], "Port \(port) (WORKER_METRICS_PORT)"),
                // RFC 5737: in no machine's use.
                (ServerProcess.Program.api, ["HOST": "192.0.2.1"], "HOST is 192.0.2.1, which is not an address"),
            ] {
                let other = settings.merging(["DATA_DIR": installation.directory.path("other")]) { $1 }
                let refused = try await ServerProcess.run(
                    program, settings: installation.settings.merging(other) { $1 }, in: installation.directory)
                #expect(refused.status == 1 && refused.log.contains("Error: \(words)"), "\(refused.log)")
            }
            #expect(!FileManager.default.fileExists(atPath: installation.directory.path("other")))
            server.terminate()
            try await server.untilEnd()
        }
    }

    @Test func `A folder that cannot be written is named with its setting`() async throws {
        try await Installation.with(.sqlite) { installation in
            let file = installation.directory.path("file")
            try Data().write(to: URL(filePath: file))
            for program in [ServerProcess.Program.api, .worker] {
                let refused = try await installation.run(
                    program, settings: ["DATA_DIR": file, "BALLOT_SECRET": nil, "PORT": "0"])
                #expect(refused.status == 1)
                #expect(refused.log.contains("Error: DATA_DIR is \(file), and"), "\(refused.log)")
            }
            let worker = try await installation.run(.worker, "--once", settings: ["BACKUP_DIR": file])
            #expect(worker.status == 0, "\(worker.log)")
            let jobs = try await installation.run(.api, "jobs", "list")
            let line = try #require(jobs.output.split(separator: "\n").first { $0.contains("makeBackup") })
            #expect(line.contains("The folder BACKUP_DIR cannot be used. ") && line.contains(file), "\(line)")
        }
    }

    @Test func `The API started by the name of the worker is the worker`() async throws {
        try await Installation.with(.sqlite) { installation in
            let worker = try await installation.run(.linkedWorker, "--once")
            #expect(worker.status == 0)
            #expect(worker.log.contains("[Worker] Working"), "\(worker.log)")
        }
    }

    /// Also after a second start: only the last link printed is valid.
    @Test(arguments: Installation.Store.allCases)
    func `A start without an administrator prints a link that no log contains`(store: Installation.Store) async throws {
        let publicURL = "https://happiness.example.org"
        try await Installation.with(store) { installation in
            let member = try await installation.run(.api, "user", "add", "paul", "paul@example.org")
            #expect(member.status == 0, "\(member.log)")
            var links: [String] = []
            for _ in 0..<2 {
                let (server, url) = try await installation.serve(["LOG_LEVEL": "trace", "PUBLIC_URL": publicURL])
                try await eventually("the link is printed", within: .seconds(10)) { server.output.contains("/setup?") }
                let printed = server.output.matches(of: /example\.org(\/setup\?token=([\w-]{43}))\n/)
                let link = try #require(printed.first)
                #expect(printed.count == 1)
                // It works where it is pasted: no folder of the PATH has the program.
                #expect(server.output.contains(/A new link: \/.*\/HappinessAPI setup\n/))
                links.append(String(link.output.1))
                var statuses: [Int] = []
                for link in links { statuses.append(try await HTTPProbe.get("\(url)\(link)").status) }
                #expect(statuses == Array(repeating: 422, count: links.count - 1) + [200])
                #expect(!server.log.contains(link.output.2))
                server.terminate()
                try await server.untilEnd()
            }
            let admin = try await installation.run(
                .api, "user", "add", "anna", "anna@example.org", "--role", "admin")
            #expect(admin.status == 0, "\(admin.log)")
            let (server, url) = try await installation.serve()
            for link in links { #expect(try await HTTPProbe.get("\(url)\(link)").status == 422) }
            server.terminate()
            try await server.untilEnd()
            #expect(server.output.isEmpty)
        }
    }

    @Test func `An invalid setting is named`() async throws {
        try await Installation.with(.sqlite) { installation in
            let refused = try await installation.run(.api, settings: ["PORT": "http"])
            #expect(refused.status > 0)
            #expect(refused.log.contains("Setting PORT must be a whole number from 0 to 65535."), "\(refused.log)")
        }
    }

    /// Eight logins wait for the single hashing thread; when the first gets its response, the others are in flight.
    @Test func `A server that is told to stop still answers pending requests`() async throws {
        try await Installation.with(.sqlite) { installation in
            let slow = ["BCRYPT_COST": "11"]
            let user = try await installation.run(
                .api, "user", "add", "anna", "anna@example.org", settings: ["BCRYPT_COST": "11"],
                input: "purple lamp 9\n")
            #expect(user.status == 0, "\(user.log)")
            let (server, url) = try await installation.serve(slow)
            let statuses = try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await HTTPProbe.post(
                            "\(url)/user/login", json: #"{"username":"anna","password":"purple lamp 9"}"#
                        ).status
                    }
                }
                var statuses: [Int] = []
                for try await status in group {
                    if statuses.isEmpty { server.terminate() }
                    statuses.append(status)
                }
                return statuses
            }
            #expect(statuses == Array(repeating: 200, count: 8))
            #expect(try await server.untilEnd() == 0)
            #expect(server.log.contains("Stopped"))
            await #expect(throws: (any Error).self) { try await HTTPProbe.get("\(url)/health/live") }
        }
    }
}
