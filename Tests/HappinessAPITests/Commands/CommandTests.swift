import ArgumentParser
import Crypto
import Domain
import Foundation
import Ports
import Services
import Storage
import Synchronization
import TestSupport
import Testing

@testable import HappinessAPI

@Suite struct CommandTests {
    /// The store for commands, and their output.
    private final class Desk: Sendable {
        let stores: Stores
        let hasher: PasswordHasher

        init(stores: Stores) throws {
            self.stores = stores
            hasher = try PasswordHasher(cost: PasswordHasher.costs.lowerBound)
        }

        /// Runs a command line with a password on standard input.
        /// - Returns: the printed lines.
        func run(_ arguments: String..., input: [String] = [], isTerminal: Bool = false) async throws -> [String] {
            try await run(arguments, input: input, isTerminal: isTerminal)
        }

        /// The error of a command line; `nil` if it succeeds.
        func rejection(_ arguments: String..., input: [String] = [], isTerminal: Bool = false) async throws -> AppError?
        {
            do {
                _ = try await run(arguments, input: input, isTerminal: isTerminal)
                return nil
            } catch let error as AppError {
                return error
            }
        }

        private func run(_ arguments: [String], input: [String], isTerminal: Bool) async throws -> [String] {
            let typed = Mutex(input)
            let command = try #require(try HappinessCommand.parseAsRoot(arguments) as? any OperatorCommand)
            let lines = Mutex<[String]>([])
            try await command.run(
                in: CommandContext(
                    stores: stores, hasher: hasher, secrets: TestTeam.secrets, location: .sqlite(path: "none"),
                    input: PasswordInput(isTerminal: isTerminal) { _ in
                        typed.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    },
                    output: { line in lines.withLock { $0.append(line) } }))
            return lines.withLock { $0 }
        }

        func verifies(_ password: String, for login: String) async throws -> Bool {
            try await hasher.verify(password, against: stores.user(login: login)?.passwordHash)
        }
    }

    private func withDesk(_ body: (Desk) async throws -> Void) async throws {
        try await StoreUnderTest.sqlite.withStores { try await body(Desk(stores: $0)) }
    }

    @Test func `A new link for the first admin replaces the old one, while there is no admin`() async throws {
        try await withDesk { desk in
            let links = [try await desk.run("setup"), try await desk.run("setup")].map { $0.last ?? "" }
            #expect(links.allSatisfy { $0.contains("/setup?token=") } && links[0] != links[1])
            let old = try #require(links[0].split(separator: "=").last)
            let hash = OneTimeToken.hash(of: String(old))
            #expect(try await desk.stores.read { try $0.token(hash: hash, purpose: .setup, at: Date()) } == nil)
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            #expect(try await desk.run("setup").last?.contains("/setup?token=") == true)
            _ = try await desk.run("user", "set-role", "Anna", "admin")
            #expect(try await desk.rejection("setup")?.code == .conflict)
        }
    }

    @Test func `A team's earlier results are imported from a file, and replaced`() async throws {
        try await TemporaryDirectory.with { directory in
            try await withDesk { desk in
                _ = try await desk.run("team", "add", "Blue")
                let path = directory.path("history.csv")
                try "start,end,happiness,votes,eligible\n2025-12-08,2025-12-21,4,6,9".write(
                    toFile: path, atomically: true, encoding: .utf8)
                #expect(
                    try await desk.run("team", "import", "blue", path, "--scale", "1-5")
                        == ["Imported 1 result into Blue."])
                #expect(
                    try await desk.run("team", "import", "Blue", path, "--replace")
                        == ["Removed 1 result of an earlier import.", "Imported 1 result into Blue."])
                #expect(try await desk.rejection("team", "import", "Blue", path)?.code == .conflict)
                // Excel's "Unicode Text", in German.
                try "\u{FEFF}start\tend\thappiness\tvotes\teligible\r\n08.12.2025\t21.12.2025\t4,5\t6\t9\r\n".write(
                    toFile: path, atomically: true, encoding: .utf16LittleEndian)
                #expect(
                    try await desk.run("team", "import", "Blue", path, "--replace").last
                        == "Imported 1 result into Blue.")
                await #expect(throws: OperatorError.self) {
                    try await desk.run("team", "import", "Blue", directory.path("missing.csv"))
                }
            }
        }
    }

    @Test func `The first system's database is named on the command line or on standard input`() async throws {
        try await withDesk { desk in
            // Nobody listens on the port of tcpmux.
            let uri = "mongodb://anna:hunter2@127.0.0.1:1/happiness?serverSelectionTimeoutMS=500"
            let ways: [(argument: String, input: [String])] = [(uri, []), ("-", [uri])]
            for (argument, input) in ways {
                let error = await #expect(throws: ClassicDatabaseError.self) {
                    try await desk.run("import-classic", argument, "--team", "Blue", input: input)
                }
                #expect(error?.description == "The first system’s database cannot be read: it cannot be reached.")
            }
            await #expect(throws: OperatorError.self) {
                try await desk.run("import-classic", "-", "--team", "Blue", input: [])
            }
            for field in ["mail", "name=mail", "email=", "=mail"] {
                #expect(throws: (any Error).self) {
                    try HappinessCommand.parseAsRoot(["import-classic", uri, "--team", "Blue", "--field", field])
                }
            }
            let twice = ["--field", "email=mail", "--field", "email=address"]
            #expect(throws: (any Error).self) {
                try HappinessCommand.parseAsRoot(["import-classic", uri, "--team", "Blue"] + twice)
            }
        }
    }

    @Test func `Adding a user reads the password from standard input`() async throws {
        try await withDesk { desk in
            let lines = try await desk.run(
                "user", "add", "Anna", "anna@example.org", "--role", "admin", input: ["purple lamp"])
            #expect(lines == ["Added Anna <anna@example.org>, admin.", UserCommand.handedOutNotice])
            #expect(try await desk.verifies("purple lamp", for: "anna"))
            #expect(try await desk.stores.user(login: "anna")?.passwordIsHandedOut == true)
        }
    }

    @Test func `Without a password, one is generated and printed once`() async throws {
        try await withDesk { desk in
            let lines = try await desk.run("user", "add", "Anna", "anna@example.org")
            let password = try #require(lines.last?.dropFirst("Password: ".count))
            #expect(try await desk.verifies(String(password), for: "anna"))
        }
    }

    @Test func `A picture is taken down by name`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            let user = try #require(try await desk.stores.user(login: "anna"))
            let picture = ProfilePicture(uploadedAt: Date(timeIntervalSince1970: 1_800_000_000))
            try await desk.stores.update(id: user.id, UserUpdate(picture: .init(old: nil, new: picture)))
            #expect(
                try await desk.run("user", "picture", "remove", "anna") == ["The picture of Anna was removed."])
            #expect(try await desk.run("user", "picture", "remove", "anna") == ["Anna has no picture."])
            #expect(try await desk.stores.jobs.list(state: .ready, limit: 10).map(\.kind) == [PictureRemoval.jobKind])
            #expect(try await desk.rejection("user", "picture", "remove", "nobody")?.code == .notFound)
        }
    }

    @Test func `At a terminal, the password is asked for twice`() async throws {
        try await withDesk { desk in
            let differing = try await desk.rejection(
                "user", "add", "Anna", "anna@example.org", input: ["purple lamp", "purple lamb"], isTerminal: true)
            #expect(differing?.message == "The two passwords do not match.")
            _ = try await desk.run(
                "user", "add", "Anna", "anna@example.org", input: ["purple lamp", "purple lamp"], isTerminal: true)
            #expect(try await desk.verifies("purple lamp", for: "anna"))
        }
    }

    @Test func `Invalid requests are refused before the password is read`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            // No input: if the command asked for any, it would fail differently or succeed.
            #expect(try await desk.rejection("user", "add", "ANNA", "b@example.org")?.reason == .nameTaken)
            #expect(try await desk.rejection("user", "add", "Bert", "nonsense")?.code == .malformed)
            #expect(try await desk.rejection("user", "set-password", "Nobody")?.code == .notFound)
        }
    }

    @Test func `A user can start as lead of a team`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("team", "add", "Blue")
            let lines = try await desk.run(
                "user", "add", "Anna", "anna@example.org", "--team", "blue", "--lead", input: ["purple lamp"])
            #expect(lines.first == "Added Anna <anna@example.org>, member as a lead of Blue.")
            #expect(throws: (any Error).self) { try UserAddCommand.parse(["Anna", "a@b.at", "--lead"]) }
        }
    }

    @Test func `Mails to a new user are in the given language`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Anna", "anna@example.org", "--locale", "de")
            _ = try await desk.run("user", "add", "Bert", "bert@example.org")
            let anna = try #require(try await desk.stores.user(login: "anna"))
            let bert = try #require(try await desk.stores.user(login: "bert"))
            #expect(anna.language == .seen(.german))
            #expect(bert.language == .unknown)
            #expect(throws: (any Error).self) {
                try UserAddCommand.parse(["Cleo", "cleo@example.org", "--locale", "xx"])
            }
        }
    }

    @Test func `Setting a password needs one or the option to generate it`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            #expect(try await desk.rejection("user", "set-password", "Anna")?.code == .unprocessable)
            let short = try await desk.rejection("user", "set-password", "Anna", input: ["short"])
            #expect(short?.reason == .passwordTooShort)
            _ = try await desk.run("user", "set-password", "anna@example.org", input: ["purple lamp"])
            #expect(try await desk.verifies("purple lamp", for: "anna"))
            let lines = try await desk.run("user", "set-password", "Anna", "--generate")
            #expect(lines.last?.hasPrefix("Password: ") == true && lines.contains(UserCommand.handedOutNotice))
        }
    }

    @Test func `Users are listed, disabled and enabled`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Bert", "bert@example.org", "--role", "guest")
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            _ = try await desk.run("user", "disable", "Bert")
            #expect(
                try await desk.run("user", "list") == [
                    "Anna <anna@example.org>, member", "Bert <bert@example.org>, guest, disabled",
                ])
            _ = try await desk.run("user", "enable", "Bert")
            #expect(try await desk.run("user", "list").last == "Bert <bert@example.org>, guest")
        }
    }

    @Test func `A user's links to providers are removed`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            let anna = try #require(try await desk.stores.user(login: "anna"))
            try await desk.stores.insert(
                ExternalIdentity(issuer: "https://id.example.org", subject: "1", userID: anna.id))
            #expect(
                try await desk.run("user", "unlink", "anna") == [
                    "Anna (anna@example.org) is no longer linked to a provider and was logged out."
                ])
            #expect(try await desk.stores.read { try $0.identities(of: anna.id) }.isEmpty)
            #expect(try await desk.rejection("user", "unlink", "nobody")?.code == .notFound)
        }
    }

    @Test func `Mails are sent again to an address that did not take them`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            let secrets = Secrets(jwt: SymmetricKey(size: .bits256), ballot: TestTeam.secret)
            try await AddressFaultService(stores: desk.stores, secrets: secrets, clock: .system)
                .mark("anna@example.org", as: .bounced)
            #expect(try await desk.run("user", "list") == ["Anna <anna@example.org>, member, e-mails come back"])
            #expect(
                try await desk.run("user", "mail-again", "anna") == ["Anna (anna@example.org) gets e-mails again."])
            #expect(try await desk.run("user", "list") == ["Anna <anna@example.org>, member"])
            #expect(try await desk.rejection("user", "mail-again", "nobody")?.code == .notFound)
        }
    }

    @Test func `Another role is given by name or address`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            #expect(
                try await desk.run("user", "set-role", "anna", "admin") == ["Anna (anna@example.org) is now: admin."])
            #expect(
                try await desk.run("user", "set-role", "anna", "admin") == ["Anna (anna@example.org) is now: admin."])
            #expect(try await desk.run("user", "list") == ["Anna <anna@example.org>, admin"])
            #expect(try await desk.rejection("user", "set-role", "nobody", "guest")?.code == .notFound)
            #expect(throws: (any Error).self) { try UserSetRoleCommand.parse(["Anna", "boss"]) }
        }
    }

    @Test func `An address is set at once, and the old one is told`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            _ = try await desk.run("user", "add", "Bert", "bert@example.org")
            #expect(
                try await desk.run("user", "set-email", "anna", "anna@new.example")
                    == ["Anna now has the address anna@new.example."])
            #expect(try await desk.run("user", "list").first == "Anna <anna@new.example>, member")
            let anna = try #require(try await desk.stores.user(login: "anna@new.example"))
            #expect(anna.emailSetOn != nil)
            let jobs = try await desk.stores.jobs.list(state: nil, limit: 10)
            #expect(
                jobs.map(\.payload) == [#"{"byAdmin":true,"oldEmail":"anna@example.org","userID":"\#(anna.id)"}"#])
            #expect(try await desk.rejection("user", "set-email", "Anna", "BERT@example.org")?.reason == .emailTaken)
            #expect(try await desk.rejection("user", "set-email", "Anna", "anna")?.code == .malformed)
            #expect(try await desk.rejection("user", "set-email", "nobody", "a@b.at")?.code == .notFound)
        }
    }

    @Test func `The last administrator keeps the role until there is another`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("user", "add", "Anna", "anna@example.org", "--role", "admin")
            _ = try await desk.run("user", "add", "Bert", "bert@example.org")
            let rejection = try await desk.rejection("user", "set-role", "Anna", "member")
            #expect(rejection?.reason == .lastAdmin)
            #expect(rejection?.message.hasPrefix("This is the only admin.") == true)
            _ = try await desk.run("user", "set-role", "bert@example.org", "admin")
            #expect(
                try await desk.run("user", "set-role", "Anna", "guest") == ["Anna (anna@example.org) is now: guest."])
            #expect(try await desk.rejection("user", "disable", "Bert")?.message == rejection?.message)
        }
    }

    @Test func `The time is confirmed, and both times are printed`() async throws {
        try await withDesk { desk in
            let newest = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 21 * 86_400).rounded(.down))
            #expect(try await desk.stores.system.recordTime(newest, after: nil))
            let before = Date(timeIntervalSinceNow: -1)
            let lines = try await desk.run("sprints", "confirm-clock")
            #expect(lines.count == 4 && lines[0].hasPrefix("This machine’s time:     20"))
            #expect(lines[1] == "The store’s newest time: \(newest.formatted(.iso8601))")
            let confirmed = try #require(try await desk.stores.system.newestTime())
            #expect((before...Date()).contains(confirmed))
            let again = try await desk.run("sprints", "confirm-clock")
            #expect(again[1] == "The store’s newest time: \(confirmed.formatted(.iso8601))")
        }
    }

    @Test func `A sprint without votes is opened again by its name`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("team", "add", "Blue")
            let team = try #require(try await desk.stores.read { try $0.team(name: "Blue") })
            let sprint = try await SprintService(stores: desk.stores, secret: TestTeam.secret, clock: .system)
                .runningSprint(of: team.id)
            let name = "\(sprint.label)"
            #expect(try await desk.rejection("sprints", "reopen", "Blue", name)?.reason == .sprintNotClosed)
            #expect(try await SprintClosing(stores: desk.stores, secret: TestTeam.secret).close(sprint.key))
            #expect(
                try await desk.run("sprints", "reopen", "Blue", name) == [
                    "Sprint \(name) of Blue is open until \(sprint.closes.formatted(.iso8601))."
                ])
            #expect(try await desk.stores.sprint(sprint.key)?.state.isClosed == false)
            #expect(try await desk.rejection("sprints", "reopen", "Nobody", name)?.code == .notFound)
            #expect(try await desk.rejection("sprints", "reopen", "Blue", "1999/1")?.reason == .noSuchSprint)
            #expect(throws: (any Error).self) { try SprintsReopenCommand.parse(["Blue", "last"]) }
        }
    }

    @Test func `A team's settings are shown and changed, with when they take effect`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("team", "add", "Blue", "--time-zone", "Europe/Vienna")
            #expect(
                try await desk.run("team", "settings", "Blue") == [
                    "threshold   3", "policy      live", "calendar    isoFortnight", "time-zone   Europe/Vienna",
                    "grace-days  0", "feedback    team", "ballots     any", "actions     team",
                    "reminders        on", "reminder-timing  end", "reminder-hour    9", "second-reminder  on",
                ])
            let lines = try await desk.run(
                "team", "settings", "Blue", "--threshold", "5", "--policy", "close", "--calendar",
                "cadence:2026-01-05:3", "--ballots", "sealed", "--actions", "leads")
            #expect(lines.contains("threshold   5") && lines.contains("ballots     sealed"))
            #expect(lines.contains("actions     leads"))
            #expect(lines.contains("calendar    cadence:2026-01-05:3"))
            #expect(
                Array(lines.suffix(2)) == [
                    "The higher minimum applies now, in the current sprint too.",
                    "Everything else applies from the next sprint.",
                ])
            #expect(
                try await desk.run("team", "settings", "Blue", "--threshold", "4").last
                    == "This applies from the next sprint.")
            #expect(try await desk.run("team", "settings", "Blue", "--threshold", "4").last == "Nothing changed.")
        }
    }

    @Test func `Reminders are changed with the same command`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("team", "add", "Blue")
            let lines = try await desk.run(
                "team", "settings", "Blue", "--reminder-hour", "17", "--second-reminder", "off", "--reminders", "off",
                "--reminder-timing", "start")
            #expect(
                Array(lines.suffix(4)) == [
                    "reminders        off", "reminder-timing  start", "reminder-hour    17", "second-reminder  off",
                ])
            // If one of two settings is rejected, neither is stored.
            let refused = [
                ("--threshold", "4", "--reminder-hour", "18"), ("--threshold", "1", "--reminder-hour", "8"),
            ]
            for (first, value, second, other) in refused {
                let error = try await desk.rejection("team", "settings", "Blue", first, value, second, other)
                #expect(error?.code == .unprocessable)
            }
            let after = try await desk.run("team", "settings", "Blue")
            #expect(after.first == "threshold   3" && after.contains("reminder-hour    17"))
            #expect(throws: (any Error).self) { try TeamSettingsCommand.parse(["Blue", "--second-reminder", "yes"]) }
        }
    }

    @Test func `Members are added and removed`() async throws {
        try await withDesk { desk in
            _ = try await desk.run("team", "add", "Blue")
            _ = try await desk.run("user", "add", "Anna", "anna@example.org")
            let added = try await desk.run("team", "add-member", "Blue", "Anna", "--lead")
            #expect(added == ["Added Anna as a lead of Blue."])
            #expect(try await desk.run("team", "list") == ["Blue, 1 member"])
            #expect(try await desk.rejection("team", "add-member", "Blue", "Anna")?.reason == .alreadyAMember)
            #expect(try await desk.run("team", "remove-member", "Blue", "Anna") == ["Removed Anna from Blue."])
            #expect(try await desk.rejection("team", "remove-member", "Blue", "Anna")?.code == .notFound)
            #expect(try await desk.rejection("team", "settings", "Red")?.code == .notFound)
        }
    }

    @Test func `Dead jobs are listed, restarted and dropped`() async throws {
        try await withDesk { desk in
            #expect(try await desk.run("jobs", "list", "--state", "dead") == ["There are no dead jobs."])
            #expect(try await desk.run("jobs", "list") == ["There are no jobs."])
            let runAt = Date(timeIntervalSince1970: 1_767_571_200)
            let jobs = [
                Job(kind: "mail", state: .dead, runAt: runAt, attempts: 8, lastError: "refused: no such mailbox"),
                Job(kind: "mail", state: .dead, runAt: runAt + 1, attempts: 1), Job(kind: "other", runAt: runAt),
            ]
            for job in jobs { _ = try await desk.stores.jobs.enqueue(job) }
            #expect(
                try await desk.run("jobs", "list", "--state", "dead") == [
                    "\(jobs[0].id)  mail  dead  2026-01-05T00:00:00Z  8 attempts  refused: no such mailbox",
                    "\(jobs[1].id)  mail  dead  2026-01-05T00:00:01Z  1 attempt",
                ])
            #expect(try await desk.run("jobs", "list").count == 3)
            #expect(try await desk.run("jobs", "restart", "\(jobs[0].id)") == ["The job is due now."])
            #expect(try await desk.run("jobs", "drop", "\(jobs[1].id)") == ["Job dropped."])
            #expect(try await desk.rejection("jobs", "drop", "\(jobs[1].id)")?.code == .notFound)
            #expect(try await desk.rejection("jobs", "restart", "\(jobs[2].id)")?.code == .notFound)
            #expect(try await desk.run("jobs", "list", "--state", "dead") == ["There are no dead jobs."])
            #expect(throws: (any Error).self) { try HappinessCommand.parseAsRoot(["jobs", "drop", "nonsense"]) }
        }
    }

    @Test func `Dead jobs are restarted all at once, or by kind`() async throws {
        try await withDesk { desk in
            let runAt = Date(timeIntervalSince1970: 1_767_571_200)
            for kind in ["mail.result", "mail.result", "mail.invitation", "planReminders"] {
                _ = try await desk.stores.jobs.enqueue(Job(kind: kind, state: .dead, runAt: runAt))
            }
            #expect(
                try await desk.run("jobs", "restart", "--kind", "mail.passwordReset")
                    == ["There are no dead mail.passwordReset jobs."])
            #expect(try await desk.run("jobs", "restart", "--kind", "mail.invitation") == ["One job is due now."])
            #expect(try await desk.stores.jobs.count(state: .dead) == 3)
            #expect(try await desk.run("jobs", "restart", "--all") == ["3 jobs are due now."])
            #expect(try await desk.stores.jobs.count(state: .ready) == 4)
            #expect(try await desk.run("jobs", "restart", "--all") == ["There are no dead jobs."])
            let id = Job.ID.random().description
            for arguments in [[], [id, "--all"], ["--all", "--kind", "x"], [id, "--kind", "x"]] {
                #expect(throws: (any Error).self) { try HappinessCommand.parseAsRoot(["jobs", "restart"] + arguments) }
            }
        }
    }

    @Test func `An account's clean-up job is dropped only after a warning about remaining data`() async throws {
        try await withDesk { desk in
            let job = Job(kind: AccountTraces.jobKind, state: .dead, runAt: Date(timeIntervalSince1970: 1_767_571_200))
            _ = try await desk.stores.jobs.enqueue(job)
            let rejection = try await desk.rejection("jobs", "drop", "\(job.id)")
            #expect(rejection?.reason == .leavesTraces && rejection?.message.contains("stays forever") == true)
            #expect(try await desk.stores.jobs.find(id: job.id) != nil)
            #expect(
                try await desk.run("jobs", "drop", "\(job.id)", "--leave-traces") == [
                    "Job dropped."
                ])
            #expect(try await desk.stores.jobs.find(id: job.id) == nil)
        }
    }

    @Test func `Migrating twice says that there is nothing to do`() async throws {
        try await withDesk { desk in
            let again = try await desk.run("migrate")
            #expect(again == ["Nothing to do: the SQLite store is up to date."])
            let status = try await desk.run("migrate", "--status")
            #expect(!status.isEmpty && status.allSatisfy { $0.hasPrefix("applied  ") })
        }
    }

    @Test func `Without a command, it serves`() throws {
        #expect(try HappinessCommand.parseAsRoot([]) is ServeCommand)
    }
}
