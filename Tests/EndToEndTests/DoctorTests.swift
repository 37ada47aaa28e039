import Domain
import Foundation
import GRDB
import Mongo
import Services
import Storage
import TestSupport
import Testing

/// The commands for an operator who wants to know whether everything works, and why not.
@Suite struct DoctorTests {
    @Test(arguments: Installation.Store.allCases)
    func `Nothing is broken, and the doctor says what runs`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            let (server, url) = try await installation.serve()
            let doctor = try await installation.run(.api, "doctor", settings: ["PORT": "0"])
            #expect(doctor.status == 0, "\(doctor.output)\(doctor.log)")
            for line in [
                "ok      settings  All are valid.", "answers, is sound, and has the schema of this version.",
                "ok      clock     It agrees with the others.", "ok      api       One is running.",
                "advice  worker    None is running", "ok      pictures  file answers.", "advice  mail      Mails are",
                "Nothing is broken.",
            ] {
                #expect(doctor.output.contains(line), "\(doctor.output)")
            }
            #expect(!doctor.output.contains(Installation.tokenSecret))
            let port = try #require(URL(string: url)?.port)
            let health = try await installation.run(.api, "health", settings: ["PORT": "\(port)"])
            let version = try await version(at: url)
            #expect(health.status == 0 && health.output == "Version \(version) is ready.\n")
            server.terminate()
            try await server.untilEnd()
            let gone = try await installation.run(.api, "health", settings: ["PORT": "\(port)"])
            #expect(gone.status == 1 && gone.log == "Error: No API answers on port \(port).\n")
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `After three weeks without a process, worker and doctor say what they wait for, until it is confirmed`(
        store: Installation.Store
    ) async throws {
        try await Installation.with(store) { installation in
            let none = try await installation.run(.api, "sprints", "confirm-clock")
            #expect(none.status == 1 && none.log.contains("There is no store"), "\(none.log)")
            let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
            let key = try await installation.withStores { stores in
                #expect(try await stores.system.recordTime(now - 21 * TestTeam.day, after: nil))
                let team = try await TestTeam.make(in: stores, members: 3)
                return try await stores.start(
                    Sprint(
                        teamID: team.team.id, start: now - 15 * TestTeam.day, end: now - TestTeam.day,
                        closes: now - TestTeam.day, label: SprintLabel(year: 2026, number: 1), threshold: 3,
                        policy: .live)
                ).key
            }
            let waiting = try await installation.run(.worker, "--once")
            #expect(waiting.status == 0 && waiting.log.contains("sprints confirm-clock"), "\(waiting.log)")
            #expect(try await installation.withStores { try await $0.sprint(key)?.state.isClosed } == false)
            let doctor = try await installation.run(.api, "doctor", settings: ["PORT": "0"])
            #expect(doctor.output.contains("advice  clock     It’s more than a day ahead"), "\(doctor.output)")

            let confirmed = try await installation.run(.api, "sprints", "confirm-clock")
            #expect(confirmed.status == 0 && confirmed.output.contains("Confirmed."), "\(confirmed.log)")
            let after = try await installation.run(.worker, "--once")
            #expect(after.status == 0 && !after.log.contains("confirm-clock"), "\(after.log)")
            #expect(try await installation.withStores { try await $0.sprint(key)?.state.isClosed } == true)
            let healthy = try await installation.run(.api, "doctor", settings: ["PORT": "0"])
            #expect(healthy.output.contains("ok      clock     It agrees with the others."), "\(healthy.output)")
        }
    }

    @Test func `The doctor names every fault, and does not create a store`() async throws {
        try await Installation.with(.sqlite) { installation in
            let closed = try await installation.run(
                .api, "doctor",
                settings: [
                    "PORT": "0", "PUBLIC_URL": "http://happiness.example.org", "MAIL_DRIVER": "smtp",
                    "MAIL_FROM": "h@example.org",
                    // Nothing listens on port 1.
                    "SMTP_URL": "smtp://127.0.0.1:1", "PUSH_DRIVERS": "apns", "APNS_BASE_URL": "http://127.0.0.1:1",
                    "APNS_KEY_FILE": "/nowhere/key.p8", "APNS_KEY_ID": "ABCDEFGHIJ", "APNS_TEAM_ID": "ABCDEFGHIJ",
                    "APNS_TOPIC": "org.example",
                ])
            #expect(closed.status == 1)
            for line in [
                "advice  address   PUBLIC_URL has no https", "advice  store     There is no store yet at ",
                "fault   mail      smtp · 127.0.0.1 does not accept connections", "fault   push      apns · 127.0.0.1",
                "fault   push      /nowhere/key.p8 (APNS_KEY_FILE) is missing", "3 things do not work.",
            ] {
                #expect(closed.output.contains(line), "\(closed.output)\(closed.log)")
            }
            #expect(!FileManager.default.fileExists(atPath: installation.directory.path("data/happiness.sqlite")))
        }
    }

    @Test func `The doctor asks the API, and finds a port that another program has`() async throws {
        try await Installation.with(.sqlite) { installation in
            let (server, url) = try await installation.serve()
            let number = try #require(URL(string: url)?.port)
            let port = "\(number)"
            let response = try await installation.run(.api, "doctor", settings: ["PORT": port])
            #expect(response.status == 0 && response.output.contains("answers on port \(port)."), "\(response.output)")
            server.terminate()
            try await server.untilEnd()
            // The stopped API left the port free.
            let free = try await installation.run(.api, "doctor", settings: ["PORT": port])
            #expect(free.status == 0 && !free.output.contains("fault"), "\(free.output)")
            try await SMTPServer.with { other in
                let port = try #require(URL(string: other.url)?.port)
                let taken = try await installation.run(.api, "doctor", settings: ["PORT": "\(port)"])
                #expect(taken.status == 1)
                #expect(taken.output.contains("Port \(port) (PORT) of 127.0.0.1 (HOST) is in use"), "\(taken.output)")
            }
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `A process that reports and does not answer, and many that ended, are faults`(
        store: Installation.Store
    ) async throws {
        try await Installation.with(store) { installation in
            let now = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down))
            try await installation.withStores { stores in
                // One that lives, and three that crashed soon after their start.
                for (kind, start, end) in [
                    (ProcessRecord.Kind.api, -300.0, 0.0), (ProcessRecord.Kind.worker, -400.0, -200.0),
                    (ProcessRecord.Kind.worker, -300.0, -150.0), (ProcessRecord.Kind.worker, -200.0, -100.0),
                ] {
                    try await stores.record(
                        ProcessRecord(
                            id: .random(), kind: kind, host: HostName.current, version: "0.1.0", started: now + start,
                            seen: now + end, load: ProcessLoad(memory: 1_048_576, cpu: 0.1)))
                }
            }
            let port = try LoopbackPort.free()
            let doctor = try await installation.run(.api, "doctor", settings: ["PORT": "\(port)"])
            #expect(doctor.status == 1)
            for line in [
                "fault   api       One on this machine says", "fault   worker    3 crashed within ten minutes",
            ] {
                #expect(doctor.output.contains(line), "\(doctor.output)")
            }
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `A store that no program would start with is a fault`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            try await installation.withStores { _ in }
            if let uri = installation.settings["DATABASE_URL"] {
                try await MongoClient(uri: uri).run {
                    try $0.collection("migrations").insertOne(["_id": .string("9999-from-the-future")])
                }
            } else {
                let queue = try DatabaseQueue(path: installation.directory.path("data/happiness.sqlite"))
                try await queue.write {
                    try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('9999-from-the-future')")
                }
                try queue.close()
            }
            let newer = try await installation.run(.api, "doctor", settings: ["PORT": "0"])
            #expect(newer.status == 1 && newer.output.contains("newer version of this program"), "\(newer.output)")
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `An interrupted restore is a fault, also where there was no store`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            if let uri = installation.settings["DATABASE_URL"] {
                try await MongoClient(uri: uri).run {
                    try $0.collection("migrations").insertOne(["_id": .string("restore-under-way")])
                }
            } else {
                let mark = URL(filePath: installation.directory.path("data/happiness.sqlite.restore-under-way"))
                try FileManager.default.createDirectory(
                    at: mark.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data().write(to: mark)
            }
            let doctor = try await installation.run(.api, "doctor", settings: ["PORT": "0"])
            #expect(doctor.status == 1)
            #expect(doctor.output.contains(#/fault   store     A restore of this .+ began/#), "\(doctor.output)")
            for arguments in [["check"], ["setup"]] {
                let refused = try await ServerProcess.run(
                    .api, arguments, settings: installation.settings, in: installation.directory)
                #expect(refused.status == 1 && refused.log.contains("began and did not end"), "\(refused.log)")
            }
        }
    }

    @Test func `Backups, addresses and issuers that would fail are named`() async throws {
        try await Installation.with(.sqlite) { installation in
            let file = installation.directory.path("file")
            try Data().write(to: URL(filePath: file))
            let settings = [
                "PORT": "0", "HOST": "0.0.0.0", "BACKUP_DIR": file, "OIDC_PROVIDERS": "company",
                // Nothing listens on port 1.
                "OIDC_COMPANY_ISSUER": "http://127.0.0.1:1", "OIDC_COMPANY_CLIENT_ID": "happiness",
                "OIDC_COMPANY_CLIENT_SECRET": "hush", "OIDC_COMPANY_TRUST_EMAIL": "yes",
                "OIDC_COMPANY_DOMAINS": "example.org",
            ]
            let faults = try await installation.run(.api, "doctor", settings: settings)
            #expect(faults.status == 1)
            for line in [
                "advice  address   HOST is 0.0.0.0", "fault   backups   BACKUP_DIR is \(file), and",
                "fault   log-in    company cannot be used: ",
                "advice  log-in    OIDC_COMPANY_TRUST_EMAIL is yes: ", "2 things do not work.",
            ] {
                #expect(faults.output.contains(line), "\(faults.output)")
            }
        }
    }

    @Test func `The doctor logs in to the mail server, and sends nothing`() async throws {
        try await Installation.with(.sqlite) { installation in
            try await SMTPServer.with(tls: .starttls, user: "happiness:hush") { server in
                let settings = [
                    "PORT": "0", "MAIL_DRIVER": "smtp", "MAIL_FROM": "h@example.org", "SMTP_URL": server.url,
                    "SMTP_USERNAME": "happiness", "SMTP_PASSWORD": "hush", "SMTP_CA_FILE": server.certificate,
                ]
                let good = try await installation.run(.api, "doctor", settings: settings)
                #expect(good.status == 0 && good.output.contains("localhost accepts the log-in."), "\(good.output)")
                for (key, value) in [("SMTP_PASSWORD", "wrong"), ("SMTP_CA_FILE", "")] {
                    let bad = try await installation.run(
                        .api, "doctor", settings: settings.merging([key: value]) { $1 })
                    #expect(bad.status == 1 && bad.output.contains("localhost takes no mail: "), "\(bad.output)")
                    #expect(!bad.output.contains("hush") && !bad.output.contains("wrong"))
                }
                let mails = try server.mails()
                #expect(mails.isEmpty)
            }
        }
    }

    @Test func `The age of the last backup is shown, and an old one is a fault`() async throws {
        try await Installation.with(.sqlite) { installation in
            let settings = ["PORT": "0", "BACKUP_DIR": installation.directory.path("backups")]
            let none = try await installation.run(.api, "doctor", settings: settings)
            #expect(none.output.contains("advice  backups   There is none yet"), "\(none.output)")
            #expect(!FileManager.default.fileExists(atPath: installation.directory.path("backups")))
            #expect(try await installation.run(.worker, "--once", settings: settings).status == 0)
            let made = try await installation.run(.api, "doctor", settings: settings)
            #expect(made.status == 0)
            #expect(made.output.contains("ok      backups   The last one is of 20"), "\(made.output)")
            let names = try FileManager.default.contentsOfDirectory(atPath: installation.directory.path("backups"))
            let name = try #require(names.first { $0.hasSuffix(".backup") })
            try FileManager.default.moveItem(
                atPath: installation.directory.path("backups/\(name)"),
                toPath: installation.directory.path("backups/happiness-2026-01-05.backup"))
            let old = try await installation.run(.api, "doctor", settings: settings)
            #expect(old.status == 1 && old.output.contains("The last one is of 2026-01-05."), "\(old.output)")
            #expect(!names.contains { $0.hasPrefix(".doctor") })
        }
    }

    /// Only root may give files to others.
    @Test(.enabled(if: geteuid() == 0)) func `Files of different owners are a fault`() async throws {
        try await Installation.with(.sqlite) { installation in
            try await installation.withStores { _ in }
            let store = installation.directory.path("data/happiness.sqlite")
            #expect(chown(store, 65_534, 65_534) == 0)
            let one = try await installation.run(.api, "doctor", settings: ["PORT": "0"])
            #expect(one.output.contains("advice  owner     \(store) belongs to the user 65534"), "\(one.output)")
            try Data("a secret of more than thirty-two bytes".utf8)
                .write(to: URL(filePath: installation.directory.path("data/JWT_SECRET")))
            let two = try await installation.run(.api, "doctor", settings: ["PORT": "0"])
            #expect(two.status == 1 && two.output.contains("fault   owner     "), "\(two.output)")
        }
    }

    @Test func `A store that another secret was used with is a fault`() async throws {
        try await Installation.with(.sqlite) { installation in
            let (server, _) = try await installation.serve()
            let other = "another secret that is long enough too"
            let doctor = try await installation.run(.api, "doctor", settings: ["BALLOT_SECRET": other])
            #expect(doctor.status == 1)
            #expect(doctor.output.contains("fault   store     Setting BALLOT_SECRET must be"), "\(doctor.output)")
            #expect(!doctor.output.contains(other))
            server.terminate()
            try await server.untilEnd()
        }
    }

    @Test func `All settings are checked at once, before a store exists`() async throws {
        try await Installation.with(.sqlite) { installation in
            let good = try await installation.run(.api, "config", "check")
            #expect(good.status == 0 && good.output == "All settings are valid.\n", "\(good.log)")
            try Data("MAIL_DRIVR=smtp\n".utf8).write(to: URL(fileURLWithPath: installation.directory.path(".env")))
            let settings = ["PORT": "many", "LOG_FORMAT": "xml"]
            let bad = try await installation.run(.api, "config", "check", settings: settings)
            #expect(bad.status == 1 && bad.output == ".env, line 1: MAIL_DRIVR is not a setting.\n")
            for program in [ServerProcess.Program.api, .worker] {
                let refused = try await installation.run(program, settings: settings)
                #expect(refused.status == 1 && refused.log == bad.log)
            }
            #expect(
                bad.log == """
                    Error: Setting PORT must be a whole number from 0 to 65535.
                    Setting LOG_FORMAT must be one of: text, json.

                    """)
            #expect(!FileManager.default.fileExists(atPath: installation.directory.path("data/happiness.sqlite")))
        }
    }

    @Test func `A line of the settings file that cannot be read is named, and nothing starts`() async throws {
        try await Installation.with(.sqlite) { installation in
            let file = URL(fileURLWithPath: installation.directory.path(".env"))
            let expected = ".env, line 2: it has no “=”. Write KEY=value, or begin a comment with #."
            try Data("PORT=0\r\nhunter2 hunter2\r\n".utf8).write(to: file)
            for refused in [
                try await installation.run(.api, "config", "check"), try await installation.run(.api, "serve"),
                try await installation.run(.worker, "--once"),
            ] {
                #expect(refused.status == 1 && refused.output.isEmpty)
                #expect(refused.log == "Error: \(expected)\n")
            }
            let doctor = try await installation.run(.api, "doctor")
            #expect(doctor.status == 1 && doctor.output.contains("fault   settings  \(expected)"), "\(doctor.output)")
            #expect(!FileManager.default.fileExists(atPath: installation.directory.path("data/happiness.sqlite")))

            // As Notepad saves it.
            let units = Array("\u{feff}LOG_FORMAT=xml\r\n".utf16)
            try Data(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).write(to: file)
            let read = try await installation.run(.api, "config", "check")
            #expect(read.log == "Error: Setting LOG_FORMAT must be one of: text, json.\n")
        }
    }

    @Test func `A log in JSON has an object on each line`() async throws {
        try await Installation.with(.sqlite) { installation in
            let (server, _) = try await installation.serve(["LOG_FORMAT": "json", "LOG_LEVEL": "debug"])
            server.terminate()
            try await server.untilEnd()
            let worker = try await installation.run(.worker, "--once", settings: ["LOG_FORMAT": "json"])
            for (log, label) in [(server.log, "api"), (worker.log, "worker")] {
                let objects = log.split(separator: "\n").compactMap {
                    try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
                }
                #expect(objects.count == log.split(separator: "\n").count && !objects.isEmpty, "\(log)")
                #expect(objects.contains { $0["label"] as? String == label && $0["message"] as? String == "Stopped" })
            }
        }
    }

    private func version(at url: String) async throws -> String {
        try #require(try await HTTPProbe.get("\(url)/health").object["version"] as? String)
    }
}
