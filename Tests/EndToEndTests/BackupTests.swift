import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// Backups and restores by an operator, and stores that are rejected.
@Suite struct BackupTests {
    @Test(arguments: Installation.Store.allCases)
    func `A restore brings back what was backed up during votes, and nothing else`(
        store: Installation.Store
    ) async throws {
        try await Installation.with(store) { installation in
            let backup = installation.directory.path("backup")
            let team = try await installation.withStores { try await VotingTeam.make(4, in: $0) }
            let (server, url) = try await installation.serve()
            let sprint = try await team.runningSprint(at: url).label
            for voter in team.voters.prefix(2) {
                #expect(try await team.vote(voter, at: url, sprint: sprint).status == 201)
            }
            let made = try await installation.run(.api, "backup", backup)
            #expect(made.status == 0 && made.output == "Wrote \(backup).\n", "\(made.log)")
            #expect(try await installation.run(.api, "backup", backup).log.contains("exists already"))
            // Through a pipe, and without a word of its own between the bytes.
            let piped = installation.directory.path("piped")
            let sent = try await ServerProcess.run(
                .api, ["backup", "-"], settings: installation.settings, in: installation.directory,
                shell: #"set -o pipefail; "$@" | cat >piped"#)
            #expect(sent.status == 0 && sent.output.isEmpty, "\(sent.log)")
            #expect(!FileManager.default.fileExists(atPath: installation.directory.path("-")))
            let verified = try await installation.run(.api, "backups", "verify", piped)
            #expect(verified.status == 0, "\(verified.log)")
            #expect(try await team.vote(team.voters[2], at: url, sprint: sprint).status == 201)

            let refused = try await installation.run(.api, "restore", backup)
            #expect(refused.status > 0 && refused.log.contains("The store is in use"), "\(refused.log)")
            #expect(try await team.vote(team.voters[3], at: url, sprint: sprint).status == 201)
            if store == .sqlite {
                // The latest commits are in a file next to the store.
                try await server.kill()
                #expect(installation.files.contains("happiness.sqlite-wal"))
            } else {
                // Not killed: the restore would wait for a killed process, for up to a minute.
                server.terminate()
                #expect(try await server.untilEnd() == 0)
            }
            let restored = try await installation.run(.api, "restore", backup)
            #expect(restored.status == 0 && restored.output.hasPrefix("Restored \(backup).\n"), "\(restored.log)")
            #expect(restored.output.contains("is kept as") == (store == .sqlite))

            let (second, again) = try await installation.serve()
            #expect(try await team.vote(team.voters[1], at: again, sprint: sprint).status == 409)
            #expect(try await team.vote(team.voters[2], at: again, sprint: sprint).status == 201)
            try await installation.withStores { stores in
                let record = try #require(try await stores.read { try $0.sprint(of: team.id, labelled: sprint) })
                #expect(record.state.current.count == 3)
                #expect(try await team.counted(in: record.sprint.key, stores: stores).count == 3)
            }
            let checked = try await installation.run(.api, "check")
            #expect(checked.status == 0 && checked.output.hasSuffix("store is sound.\n"), "\(checked.log)")
            try await second.kill()
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `A worker makes an encrypted backup every day, which was restored once, and can be again`(
        store: Installation.Store
    ) async throws {
        try await Installation.with(store) { installation in
            let folder = installation.directory.path("backups")
            let team = try await installation.withStores { try await VotingTeam.make(4, in: $0) }
            let (server, url) = try await installation.serve()
            let sprint = try await team.runningSprint(at: url).label
            for voter in team.voters.prefix(3) {
                #expect(try await team.vote(voter, at: url, sprint: sprint).status == 201)
            }
            let keys = try await installation.run(.api, "backup-key")
            let texts = keys.output.matches(of: /[\w-]{43}/).map { String($0.output) }
            #expect(texts.count == 2, "\(keys.output)")
            let key = installation.directory.path("key")
            try Data("\(texts[1])\n".utf8).write(to: URL(filePath: key))
            let settings = ["BACKUP_DIR": folder, "BACKUP_KEEP": "2d", "BACKUP_PUBLIC_KEY": texts[0]]

            // A worker was killed while it made one.
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: "\(folder)/.draft-of-a-killed-worker"))
            let now = Date.now
            for day in 0..<3 {
                let time = (now + Double(day) * 86_400).formatted(.iso8601)
                let worker = try await installation.run(.worker, "--once", "--now", time, settings: settings)
                #expect(worker.status == 0 && worker.log.contains("Made a backup"), "\(worker.log)")
            }
            let days = [1, 2].map { CalendarDay(instant: now + Double($0) * 86_400, in: .gmt) }
            let backups = days.map { "happiness-\($0).encrypted" }
            let files = [DeletionList.name] + backups + [InstallationMark.name]
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == files)
            let list = try await installation.run(.api, "backups", "list", settings: settings)
            #expect(list.output.split(separator: "\n").map { $0.prefix(10) } == days.map { "\($0)" }, "\(list.log)")

            let backup = "\(folder)/\(backups[1])"
            let withoutKey = try await installation.run(.api, "backups", "verify", backup)
            #expect(withoutKey.status == 1 && withoutKey.log.contains("--key FILE"), "\(withoutKey.log)")
            let verified = try await installation.run(.api, "backups", "verify", backup, "--key", key)
            let words = /.+ can be restored: [1-9]\d+ records\.\n/
            #expect(
                verified.status == 0 && verified.output.wholeMatch(of: words) != nil,
                "\(verified.output)\(verified.log)")
            // The running store was not touched, and nothing is left of the scratch store.
            #expect(try await team.vote(team.voters[3], at: url, sprint: sprint).status == 201)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == files)
            #expect(try await installation.scratchDatabases().isEmpty)

            server.terminate()
            #expect(try await server.untilEnd() == 0)
            let restored = try await installation.run(.api, "restore", backup, "--key", key)
            #expect(restored.status == 0, "\(restored.log)")
            let (second, again) = try await installation.serve()
            #expect(try await team.vote(team.voters[2], at: again, sprint: sprint).status == 409)
            #expect(try await team.vote(team.voters[3], at: again, sprint: sprint).status == 201)
            try await second.kill()
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `After the loss of a machine, the bucket brings back votes and pictures`(
        store: Installation.Store
    ) async throws {
        let objects = try await ObjectStoreServer.shared
        try await objects.withBucket { bucket in
            try await Installation.with(store) { installation in
                let pair = BackupKey.makePair()
                let key = installation.directory.path("key")
                try Data(pair.privateText.utf8).write(to: URL(filePath: key))
                let folder = installation.directory.path("backups")
                let settings = objects.backupEnvironment(bucket: bucket)
                    .merging(["BACKUP_DIR": folder, "BACKUP_PUBLIC_KEY": pair.publicText]) { $1 }
                let team = try await installation.withStores { try await VotingTeam.make(3, in: $0) }
                let (server, url) = try await installation.serve()
                let sprint = try await team.runningSprint(at: url).label
                for voter in team.voters.prefix(2) {
                    #expect(try await team.vote(voter, at: url, sprint: sprint).status == 201)
                }
                let picture = ProfilePicture(uploadedAt: Date())
                let pictures = ObjectStoreUnderTest.folder(installation.directory.path("data/objects"))
                let image = StoredObject(mediaType: "image/webp", bytes: Array("a picture".utf8))
                for key in picture.keys { try await pictures.put(image, at: key) }
                _ = try await installation.withStores {
                    try await $0.replacePicture(of: team.voters[0].userID, by: picture, at: Date())
                }
                let worker = try await installation.run(.worker, "--once", settings: settings)
                #expect(worker.status == 0 && worker.log.contains("Copied backups to the bucket"), "\(worker.log)")
                let doctor = try await installation.run(.api, "doctor", settings: settings)
                #expect(doctor.output.contains("The bucket for copies answers."), "\(doctor.output)")

                server.terminate()
                #expect(try await server.untilEnd() == 0)
                // The administrator has kept copies of the secrets.
                let secret = try? String(
                    contentsOfFile: installation.directory.path("data/VAPID_PRIVATE_KEY"), encoding: .utf8)
                let kept = ["VAPID_PRIVATE_KEY": secret].compactMapValues(\.self)
                for lost in ["data", "backups"] {
                    try FileManager.default.removeItem(atPath: installation.directory.path(lost))
                }
                let again = settings.merging(kept) { $1 }
                let list = try await installation.run(.api, "backups", "list", settings: again)
                let entry = try #require(
                    list.output.firstMatch(of: /(?m)^([0-9-]{10}) .+ in the bucket (.+)$/), "\(list)")
                #expect(entry.2 == bucket)
                // Looking at the bucket made no new store.
                #expect(!FileManager.default.fileExists(atPath: installation.directory.path("data")))
                let file = installation.directory.path("downloaded")
                let day = String(entry.1)
                let downloaded = try await installation.run(.api, "backups", "download", day, file, settings: again)
                #expect(downloaded.status == 0 && downloaded.output == "Wrote \(file).\n", "\(downloaded.log)")
                let verified = try await installation.run(
                    .api, "backups", "verify", file, "--key", key, settings: again)
                #expect(verified.status == 0, "\(verified.log)")
                // Nor did that, and it needs none.
                #expect(!FileManager.default.fileExists(atPath: installation.directory.path("data/happiness.sqlite")))
                let restored = try await installation.run(.api, "restore", file, "--key", key, settings: again)
                #expect(restored.status == 0, "\(restored.log)")
                let back = try await installation.run(
                    .api, "backups", "restore-pictures", "--key", key, settings: again)
                #expect(back.output == "Restored \(picture.keys.count) picture files.\n", "\(back)")
                for key in picture.keys { #expect(try await pictures.get(key) == image) }
                let (newServer, newURL) = try await installation.serve(kept)
                #expect(try await team.vote(team.voters[1], at: newURL, sprint: sprint).status == 409)
                #expect(try await team.vote(team.voters[2], at: newURL, sprint: sprint).status == 201)
                try await newServer.kill()
            }
        }
    }

    @Test func `A folder of backups is one installation's, and a second one is refused`() async throws {
        try await Installation.with(.sqlite) { one in
            try await Installation.with(.sqlite) { other in
                let folder = one.directory.path("backups")
                let first = try await one.run(.worker, "--once", settings: ["BACKUP_DIR": folder])
                #expect(first.status == 0 && first.log.contains("Made a backup"), "\(first.log)")
                let settings = [
                    "BACKUP_DIR": folder, "PORT": "0",
                    "BALLOT_SECRET": "another secret of tests that keys the receipts",
                ]
                let words = "BACKUP_DIR is \(folder), which has the backups of another installation."
                let refused = try await other.run(.worker, "--once", settings: settings)
                #expect(refused.status == 1 && refused.log.contains("Error: \(words)"), "\(refused.log)")
                let doctor = try await other.run(.api, "doctor", settings: settings)
                #expect(doctor.status == 1 && doctor.output.contains("fault   backups   \(words)"), "\(doctor)")
                // The owner goes on, and the backup is still its own.
                #expect(try await one.run(.worker, "--once", settings: ["BACKUP_DIR": folder]).status == 0)
                // What the message advises.
                try FileManager.default.removeItem(atPath: "\(folder)/\(InstallationMark.name)")
                let accepted = try await other.run(.worker, "--once", settings: settings)
                #expect(accepted.status == 0, "\(accepted.log)")
                let turned = try await one.run(.worker, "--once", settings: ["BACKUP_DIR": folder])
                #expect(turned.status == 1 && turned.log.contains(words), "\(turned.log)")
            }
        }
    }

    @Test func `A worker with a wrong bucket for backups does not start, and says why`() async throws {
        try await Installation.with(.sqlite) { installation in
            let objects = try await ObjectStoreServer.shared
            let settings = objects.backupEnvironment(bucket: "there-is-none")
                .merging([
                    "BACKUP_DIR": installation.directory.path("backups"),
                    "BACKUP_PUBLIC_KEY": BackupKey.makePair().publicText,
                ]) { $1 }
            let worker = try await installation.run(.worker, "--once", settings: settings)
            #expect(
                worker.status == 1 && worker.log.contains("no bucket of the name in BACKUP_BUCKET"), "\(worker.log)")
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `Verifying a backup without its receipts fails, and says why`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            let team = try await installation.withStores { try await VotingTeam.make(4, in: $0) }
            let (server, url) = try await installation.serve()
            let sprint = try await team.runningSprint(at: url).label
            #expect(try await team.vote(team.voters[0], at: url, sprint: sprint).status == 201)
            try await installation.loseReceipts()
            let file = installation.directory.path("backup")
            #expect(try await installation.run(.api, "backup", file).status == 0)
            let verified = try await installation.run(.api, "backups", "verify", file)
            #expect(verified.status == 1 && verified.log.contains("receipts"), "\(verified.log)")
            #expect(try await installation.scratchDatabases().isEmpty)
            try await server.kill()
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `A damaged or missing backup changes nothing`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            let backup = installation.directory.path("backup")
            let team = try await installation.withStores { try await VotingTeam.make(40, in: $0) }
            #expect(try await installation.run(.api, "backup", backup).status == 0)
            var bytes = try Data(contentsOf: URL(filePath: backup))
            // The second page of a SQLite file; in the other file, somewhere.
            bytes.replaceSubrange(4_096..<4_296, with: Data(repeating: 0xFF, count: 200))
            let damaged = installation.directory.path("damaged")
            try bytes.write(to: URL(filePath: damaged))
            let cut = installation.directory.path("cut")
            try bytes.prefix(5_000).write(to: URL(filePath: cut))
            let text = installation.directory.path("text")
            try Data("no backup".utf8).write(to: URL(filePath: text))
            for file in [damaged, cut, text, installation.directory.path("none")] {
                let refused = try await installation.run(.api, "restore", file)
                #expect(refused.status > 0 && refused.output.isEmpty, "\(file)")
                // The MongoDB driver may warn before.
                #expect(refused.log.contains(#/(?m)^Error: /#), "\(refused.log)")
            }
            let members = try await installation.withStores { try await $0.members(of: team.id) }
            #expect(members.count == 41)
        }
    }

    @Test(.thorough, arguments: Installation.Store.allCases)
    func `Each flipped bit of a backup is noticed`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            _ = try await installation.withStores { try await VotingTeam.make(40, in: $0) }
            let folder = installation.directory.path("backups")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = "\(folder)/happiness-2026-01-01.backup"
            #expect(try await installation.run(.api, "backup", file).status == 0)
            let list = try await installation.run(.api, "backups", "list", settings: ["BACKUP_DIR": folder])
            #expect(list.output.hasSuffix("\(file)\n"), "\(list)")
            let verified = try await installation.run(.api, "backups", "verify", file)
            #expect(verified.status == 0 && !verified.log.contains("checksum"), "\(verified.log)")
            let bytes = try Data(contentsOf: URL(filePath: file))
            // From the first byte to the last.
            for place in (0...12).map({ (bytes.count - 1) * $0 / 12 }) {
                var flipped = bytes
                flipped[place] ^= 1
                try flipped.write(to: URL(filePath: file))
                let refused = try await installation.run(.api, "backups", "verify", file)
                #expect(refused.status == 1 && refused.output.isEmpty, "byte \(place)")
            }
            let damaged = try await installation.run(.api, "backups", "list", settings: ["BACKUP_DIR": folder])
            #expect(damaged.output.hasSuffix("\(file)  (damaged)\n"), "\(damaged)")
        }
    }

    @Test(arguments: Installation.Store.allCases)
    func `A restore with other secrets names them all and changes nothing, unless it is told to`(
        store: Installation.Store
    ) async throws {
        try await Installation.with(store) { installation in
            let backup = installation.directory.path("backup")
            let team = try await installation.withStores { try await VotingTeam.make(3, in: $0) }
            let (server, url) = try await installation.serve()
            let sprint = try await team.runningSprint(at: url)
            #expect(try await installation.run(.api, "backup", backup).status == 0)
            #expect(try await team.vote(team.voters[0], at: url, sprint: sprint.label).status == 201)
            server.terminate()
            #expect(try await server.untilEnd() == 0)

            let others = [
                "JWT_SECRET": "another secret of tests that signs the tokens",
                "BALLOT_SECRET": "another secret of tests that keys the receipts",
            ]
            let refused = try await installation.run(.api, "restore", backup, settings: others)
            #expect(refused.status == 1 && refused.output.isEmpty)
            for name in others.keys { #expect(refused.log.contains(name), "\(refused.log)") }
            #expect(refused.log.contains("--with-other-secrets") && !refused.log.contains("another secret"))
            // The vote that the backup does not have is still there.
            let voted = try await installation.withStores { try await team.counted(in: sprint.key, stores: $0) }
            #expect(voted.map(\.userID) == [team.voters[0].userID])

            let restored = try await installation.run(
                .api, "restore", "--with-other-secrets", backup, settings: others)
            #expect(restored.status == 0, "\(restored.log)")
            #expect(try await installation.run(.api, "check", settings: others).status == 0)
            let old = try await installation.run(.api, "check")
            #expect(old.status == 1 && others.keys.allSatisfy { old.log.contains($0) }, "\(old.log)")
        }
    }

    /// As after a manual restore that left another store's write-ahead log behind.
    @Test(arguments: Installation.Store.allCases)
    func `Ballots without their receipts are noticed at the start`(store: Installation.Store) async throws {
        try await Installation.with(store) { installation in
            let team = try await installation.withStores { try await VotingTeam.make(3, in: $0) }
            let (server, url) = try await installation.serve()
            let sprint = try await team.runningSprint(at: url)
            #expect(try await team.vote(team.voters[0], at: url, sprint: sprint.label).status == 201)
            server.terminate()
            try await server.untilEnd()
            try await installation.loseReceipts()
            for refused in [
                try await installation.run(.api, settings: ["PORT": "0"]),
                try await installation.run(.worker, "--once"),
                try await installation.run(.api, "check"),
            ] {
                #expect(refused.status > 0)
                #expect(refused.log.contains("another number of ballots than of receipts"), "\(refused.log)")
            }
            #expect(try await installation.run(.api, "check", "--accept").status == 0)
            let (again, _) = try await installation.serve()
            try await again.kill()
        }
    }

    @Test func `The server does not start on a damaged file`() async throws {
        try await Installation.with(.sqlite) { installation in
            _ = try await installation.withStores { try await VotingTeam.make(40, in: $0) }
            let path = installation.directory.path("data/happiness.sqlite")
            var bytes = try Data(contentsOf: URL(filePath: path))
            let page = (bytes.count / 4_096 / 2) * 4_096
            bytes.replaceSubrange(page..<page + 200, with: Data(repeating: 0xFF, count: 200))
            try bytes.write(to: URL(filePath: path))
            for refused in [
                try await installation.run(.api, settings: ["PORT": "0"]),
                try await installation.run(.worker, "--once"),
            ] {
                #expect(refused.status > 0)
                #expect(refused.log.contains("damaged"), "\(refused.log)")
            }
        }
    }

    @Test func `An orderly stop leaves one file`() async throws {
        try await Installation.with(.sqlite) { installation in
            let team = try await installation.withStores { try await VotingTeam.make(3, in: $0) }
            let (server, url) = try await installation.serve()
            let worker = try await ServerProcess.launch(
                .worker, settings: installation.settings.merging(["WORKER_METRICS_PORT": "0"]) { $1 },
                in: installation.directory)
            try await eventually("the worker works", within: .seconds(30)) { worker.log.contains("Working") }
            let sprint = try await team.runningSprint(at: url).label
            #expect(try await team.vote(team.voters[0], at: url, sprint: sprint).status == 201)
            #expect(installation.files.contains("happiness.sqlite-wal"))
            for process in [server, worker] {
                process.terminate()
                #expect(try await process.untilEnd() == 0, "\(process.log)")
            }
            #expect(installation.files.filter { $0.hasPrefix("happiness.sqlite") } == ["happiness.sqlite"])
        }
    }
}

extension Installation {
    /// Names of the files in its data folder.
    fileprivate var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path("data"))) ?? []
    }
}
