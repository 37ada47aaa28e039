import Domain
import Foundation
import GRDB
import Mongo
import Services
import TestSupport
import Testing

@testable import Storage

/// Moves of a whole store to one of the other kind.
@Suite(.needsMongod) struct StoreMoveTests {
    @Test func `Every table and column, and every collection, belongs to a kind that is moved`() async throws {
        let names = MovedKind.all.map(\.name)
        #expect(Set(names).count == names.count, "one would be copied and counted twice")
        var columns: [String: Set<String>] = [:]
        for kind in MovedKind.all {
            if let table = kind.table { columns[table] = Set(kind.columns.map(\.name)) }
            for part in kind.parts {
                let others = part.links.map { $0.own.name } + [part.position].compactMap(\.self)
                columns[part.table] = Set(part.columns.map(\.name) + others)
            }
        }
        try await SQLiteFile.with { file in
            let tables = try await file.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
            #expect(Set(columns.keys) == Set(tables).subtracting(MovedKind.left.tables))
            for (table, names) in columns {
                let stored = try await file.texts("SELECT name FROM pragma_table_info('\(table)')")
                #expect(Set(stored) == names, "\(table)")
            }
        }
        let collections = Set(MovedKind.all.map { $0.collection.rawValue })
        #expect(
            collections
                == Set(MongoCollectionName.allCases.map(\.rawValue)).subtracting(MovedKind.left.collections))
    }

    @Test func `Everything that SQLite stores comes back from MongoDB`() async throws {
        try await withPlaces { places in
            let filled = try await places.first.fill(places.directory)
            let there = try await places.first.move(to: places.database, folder: places.folder)
            let back = try await places.database.move(to: places.second, folder: places.folder)
            #expect(there == back)
            for count in there { #expect(count.records > 0, "the test stores nothing of \(count.kind)") }
            // The source is as it was.
            #expect(try await places.first.move(to: places.other, folder: places.folder) == there)
            for location in [places.first, places.second, places.database] {
                try await location.withMigrated { try await filled.expectState(in: $0) }
            }
        }
    }

    @Test func `Everything that MongoDB stores comes back from SQLite`() async throws {
        try await withPlaces { places in
            let filled = try await places.database.fill(places.directory)
            let before = try await Self.documents(in: places.database)
            let there = try await places.database.move(to: places.first, folder: places.folder)
            let back = try await places.first.move(to: places.other, folder: places.folder)
            #expect(there == back)
            let after = try await Self.documents(in: places.other)
            #expect(Set(before.keys) == Set(after.keys))
            for (name, documents) in before { #expect(after[name] == documents, "\(name)") }
            try await places.other.withMigrated { try await filled.expectState(in: $0) }
        }
    }

    @Test func `Texts can be customised after a move of a store that had no custom texts`() async throws {
        try await withPlaces { places in
            try await places.database.withMigrated { _ in }
            _ = try await places.database.move(to: places.first, folder: places.folder)
            try await places.first.withMigrated { stores in
                let before = try await stores.read { try $0.textVersion() }
                let day = try #require(CalendarDay("2026-01-08"))
                try await stores.changeText(TextKey("live.vote", in: .german), TextChange(text: "Los!", day: day))
                // Otherwise no process would read it before it is restarted.
                #expect(try await stores.read { try $0.textVersion() } != before)
            }
        }
    }

    @Test func `Documents are stored in the order of their keys`() async throws {
        try await withPlaces { places in
            _ = try await places.first.fill(places.directory)
            _ = try await places.first.move(to: places.database, folder: places.folder)
            for name in ["sessions", "users", "devices", "jobs", "userSprints", "commitments", "feedback"] {
                // Ids of one collection have the same length.
                let keys = try await places.database.run { database in
                    try database.collection(name).find([:], projection: ["_id": 1]).map(\.bytes)
                }
                #expect(keys.count > 1, "\(name)")
                #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) }, "\(name)")
            }
        }
    }

    @Test func `A target that is not empty is refused, and left as it is`() async throws {
        try await withPlaces { places in
            _ = try await places.first.fill(places.directory)
            _ = try await places.first.move(to: places.database, folder: places.folder)
            let before = try await Self.documents(in: places.database)
            await #expect { try await places.first.move(to: places.database, folder: places.folder) } throws: {
                "\($0)".contains("is not empty")
            }
            await #expect { try await places.database.move(to: places.first, folder: places.folder) } throws: {
                "\($0)".contains("There is a file at")
            }
            #expect(try await Self.documents(in: places.database) == before)
            // A restore that was interrupted is no move: somebody's data may be there.
            try await places.other.run { database in
                try database.collection("migrations").insertOne(["_id": "restore-under-way", "began": true])
            }
            await #expect { try await places.first.move(to: places.other, folder: places.folder) } throws: {
                "\($0)".contains("is not empty")
            }
            for (source, target) in [(places.first, places.second), (places.database, places.other)] {
                await #expect { try await source.move(to: target, folder: places.folder) } throws: {
                    "\($0)".contains("of the same kind")
                }
            }
        }
    }

    @Test func `A target of an interrupted move is refused by programs, and can be moved to again`() async throws {
        try await withPlaces { places in
            _ = try await places.first.fill(places.directory)
            try await places.database.run { database in
                try database.collection("migrations").insertOne(
                    ["_id": "restore-under-way", "began": true, "move": true])
                try database.collection("users").insertOne(["_id": "half of what should be here"])
            }
            await #expect { try await places.database.withMigrated { _ in } } throws: {
                "\($0)".contains("began and did not end")
            }
            _ = try await places.first.move(to: places.database, folder: places.folder)
            try await places.database.withMigrated { try await $0.system.requireSound() }
        }
    }

    @Test func `A store in use is not moved`() async throws {
        try await withPlaces { places in
            _ = try await places.first.fill(places.directory)
            try await places.first.withMigrated { stores in
                try await stores.system.ping()
                await #expect { try await places.first.move(to: places.database, folder: places.folder) } throws: {
                    "\($0)".contains("The store is in use")
                }
            }
            #expect(try await places.database.run { try $0.collectionNames() } == [])
            _ = try await places.first.move(to: places.database, folder: places.folder)
            try await places.database.run { database in
                let now = try database.hello()["localTime"] ?? BSONValue.null
                try database.collection("processes").insertOne(["_id": "one", "seen": now])
            }
            await #expect { try await places.database.move(to: places.second, folder: places.folder) } throws: {
                "\($0)".contains("The store is in use")
            }
            #expect(!FileManager.default.fileExists(atPath: places.secondPath))
        }
    }

    @Test func `A document with an unknown field is refused`() async throws {
        try await withPlaces { places in
            _ = try await places.first.fill(places.directory)
            _ = try await places.first.move(to: places.database, folder: places.folder)
            try await places.database.run { database in
                _ = try database.collection("teams").updateMany([:], ["$set": ["surprise": 1]])
            }
            await #expect { try await places.database.move(to: places.second, folder: places.folder) } throws: {
                "\($0)".contains("A document of teams has the field surprise")
            }
            #expect(!FileManager.default.fileExists(atPath: places.secondPath))
        }
    }

    /// The worker has not removed the rest of a deleted team yet.
    @Test func `Records that refer to nothing are refused, with what can be done`() async throws {
        try await withPlaces { places in
            _ = try await places.database.fill(places.directory)
            try await places.database.run { database in
                _ = try database.collection("teams").deleteMany([:])
            }
            await #expect { try await places.database.move(to: places.second, folder: places.folder) } throws: {
                "\($0)".contains("happiness") && "\($0)".contains("let the worker run until that is done")
            }
            #expect(!FileManager.default.fileExists(atPath: places.secondPath))
        }
    }

    // MARK: - Places

    /// Two files and two databases, of which none exists.
    private struct Places {
        let directory: TemporaryDirectory
        let database: StoreLocation
        let other: StoreLocation

        var first: StoreLocation { .sqlite(path: directory.path("first/happiness.sqlite")) }
        var second: StoreLocation { .sqlite(path: secondPath) }
        var secondPath: String { directory.path("second/happiness.sqlite") }
        var folder: String { directory.path("drafts") }
    }

    private func withPlaces(_ body: (Places) async throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            let server = try await MongoServer.shared
            let places = Places(
                directory: directory, database: .mongodb(uri: server.uri()), other: .mongodb(uri: server.uri()))
            try FileManager.default.createDirectory(atPath: places.folder, withIntermediateDirectories: true)
            try await body(places)
            for location in [places.database, places.other] { try await location.run { try $0.drop() } }
        }
    }

    /// All documents of a database as texts, without what means nothing: the order of fields and of wordings, and bits
    /// on which transactions collide.
    private static func documents(in location: StoreLocation) async throws -> [String: [String]] {
        try await location.run { database in
            var all: [String: [String]] = [:]
            let left = MovedKind.left.collections.union(["system.views"])
            for name in try database.collectionNames() where !left.contains(name) {
                all[name] = try database.collection(name).find([:]).map { text(.document($0)) }.sorted()
            }
            return all
        }
    }

    private static func text(_ value: BSONValue, field: String = "") -> String {
        if let number = value.intValue { return "\(number)" }
        if let document = value.documentValue {
            let fields = document.filter { name, value in
                !["lock", "isGranted"].contains(name)
                    // Counters of changes, and one that is missing before the first.
                    && !(name == "changes" && value.intValue != nil)
                    && !(name == "actionChanges" && value.intValue == 0)
            }
            return "{\(fields.map { "\($0.key): \(text($0.value, field: $0.key))" }.sorted().joined(separator: ", "))}"
        }
        guard let values = value.arrayValue else { return "\(value)" }
        let texts = values.map { text($0) }
        // Neither has an order that means anything.
        return "[\((["texts", "taken"].contains(field) ? texts.sorted() : texts).joined(separator: ", "))]"
    }
}

/// What `StoreLocation.fill` stored, as far as it is looked for again.
private struct FilledStore: Sendable {
    let sprint: Sprint
    /// Three of them have voted.
    let voters: [Voter]
    let key: TextKey
    let record: SprintRecord

    /// Sessions, receipts and results are as they were. Changes nothing.
    func expectState(in stores: Stores) async throws {
        try await stores.system.requireSound()
        #expect(try await stores.record(of: sprint) == record)
        for (index, voter) in voters.enumerated() {
            #expect(try await stores.session(voter.session.id) == voter.session)
            #expect(try await stores.ballots.contains(voter.receipt(in: sprint)) == (index < 3))
        }
        #expect(try await stores.cast([voters[0].ballot(in: sprint)]) == [.alreadyVoted])
        #expect(try await stores.read { try $0.textHistory(of: key) }.map(\.text) == ["Three", nil, "One"])
        #expect(try await stores.system.fingerprints() == ["secret": [1, 2, 3]])
    }
}

/// A test asked for the documents of a file.
private struct NoDatabase: Error {}

extension StoreLocation {
    /// Runs `body` with direct access to a database.
    fileprivate func run<Value: Sendable>(
        _ body: @escaping @Sendable (MongoDatabase) throws -> Value
    ) async throws -> Value {
        guard case .mongodb(let uri) = self else { throw NoDatabase() }
        return try await MongoClient(uri: uri).run(body)
    }

    /// Runs `body` with the store, which is migrated, and closes it.
    fileprivate func withMigrated<Value>(_ body: (Stores) async throws -> Value) async throws -> Value {
        let stores = try open()
        let result: Result<Value, any Error>
        do {
            _ = try await stores.system.migrate()
            result = .success(try await body(stores))
        } catch {
            result = .failure(error)
        }
        try await stores.system.close()
        return try result.get()
    }

    /// Stores something of every kind.
    fileprivate func fill(_ directory: TemporaryDirectory) async throws -> FilledStore {
        try await withMigrated { stores in
            // Users, sessions, links, jobs, devices, ballots, actions, and what they need.
            _ = try await UserWithTraces.make(in: stores, directory)
            let day = try #require(CalendarDay("2026-01-08"))
            let hostile = "'; DROP TABLE teams; -- \"$where\" 🎉\nÜ"
            try await stores.insert(
                User(
                    name: try UserName("ümit ö."), displayName: try DisplayName("Ümit Öztürk"),
                    email: try EmailAddress("uemit@example.org"), role: .admin, isDisabled: true, locale: "de",
                    notifications: NotificationSettings(
                        push: false, mail: true, results: true, hour: 7, daysOff: [.friday, .monday]),
                    createdOn: day))
            let team = try await stores.makeTeam(
                settings: TeamSettings(
                    threshold: 3, policy: .close, graceDays: 2, feedbackReaders: .leads, actionAuthors: .leads))
            try await stores.transaction { try $0.setShareTokenHash(Array(0..<32), of: team.id) }
            let voters = try await stores.makeVoters(5, in: team)
            let sprint = try await stores.makeSprint(of: team, policy: .immediate)
            try await stores.fillBallots(voters, sprint)
            try await stores.fillReminders(team, sprint, voters, day, hostile)

            let rotated = try await stores.makeStranger().session.id
            _ = try await stores.write {
                try $0.rotate(
                    rotated, from: 0, at: Instants.now, repeatUntil: Instants.now + 10.25,
                    expires: Instants.now + Instants.day)
            }
            let ended = try await stores.makeStranger().session.id
            try await stores.write { try $0.endSession(ended) }
            for number in 0..<3 {
                _ = try await stores.write {
                    try $0.takeQuota([1, 0, 2], limit: 9, window: 60, at: Instants.now + Double(number))
                }
            }
            for version in ["1.0", "1.1"] {
                let report = try ClientErrorReport(
                    level: .warning, app: .ios, message: hostile.split(separator: "\n").joined(), stack: "at a",
                    version: version, platform: "iOS 17", tags: ["screen": "vote form"])
                _ = try await stores.record(report, on: day, limit: 10)
            }
            let key = TextKey("live.vote", in: .german)
            for text in ["One", nil, "Three"] { try await stores.changeText(key, TextChange(text: text, day: day)) }
            _ = try await stores.system.fingerprint(named: "secret", orStore: [1, 2, 3])
            try await stores.remember([Deletion(of: .account(.random()), on: day, secret: Voter.secret)])
            return FilledStore(sprint: sprint, voters: voters, key: key, record: try await stores.record(of: sprint))
        }
    }
}

extension Stores {
    /// Three plain ballots, a paper and a sealed ballot.
    fileprivate func fillBallots(_ voters: [Voter], _ sprint: Sprint) async throws {
        let key = BallotKey(sprint: sprint.key, publicKey: Array(repeating: 1, count: 294))
        _ = try await ballotKeys.insert(StoredBallotKey(key: key, wrappedPrivateKey: [1, 2, 3]))
        let plain = try voters.prefix(2).enumerated().map { index, voter in
            try voter.ballot(in: sprint, tenths: 10 * index + 5, feedback: "a word \(index)")
        }
        #expect(try await cast(plain).allSatisfy { $0.isCounted })
        let asking = Ballot.Voter(
            sessionID: voters[2].session.id, userID: voters[2].user.id, receipt: voters[2].receipt(in: sprint))
        let request = PaperRequest(voter: asking, blindedMessage: [7], secret: Voter.secret)
        let paper = try #require(BallotPaper(bytes: Array(repeating: 9, count: BallotPaper.length)))
        let signed = SignedPaper(paper, signature: Array(repeating: 1, count: BallotKey.signatureLength))
        let sealed = Ballot(
            paper: SpentPaper(signed, key: key), happiness: try Happiness(tenths: 99), feedback: nil)
        let box = ballots
        let outcomes = try await BlockingCall {
            try box.cast([.request(request), .ballot(sealed)], at: Instants.now)
        }.value
        #expect(outcomes.first == .issued && outcomes.last?.isCounted == true)
    }

    /// Settings, deliveries and an experiment.
    fileprivate func fillReminders(
        _ team: Team, _ sprint: Sprint, _ voters: [Voter], _ day: CalendarDay, _ hostile: String
    ) async throws {
        let settings = ReminderSettings(
            isOn: false, timing: .end, hour: 17, remindsAgain: true, weekend: [.friday],
            holidays: [day, day.adding(days: 3)],
            texts: [
                .first: [
                    .german: ReminderText(title: "Hallo", body: hostile), .english: ReminderText(body: "Body"),
                ],
                .second: [.german: ReminderText(title: "Title alone")],
            ])
        try await update(settings, of: team.id)
        for voter in voters.prefix(2) { try await makeDevice(of: voter) }
        try await makeDevice(of: voters[2], .browser())
        let occasion = Delivery.Occasion(sprint: sprint.key, kind: .message, day: day, hour: nil)
        let delivery = Delivery(
            occasion: occasion, state: .sending, begun: Instants.now + 0.125, trouble: .serviceUnavailable,
            text: Delivery.Text(title: "Hello", body: hostile), requestedBy: voters[0].user.id)
        #expect(try await insert(delivery))
        let reminder = Delivery.Occasion(sprint: sprint.key, kind: .reminder, day: day, hour: 7)
        #expect(try await insert(Delivery(occasion: reminder, begun: Instants.now)))
        let recipients: [DeliveryBatch.Recipients] = [
            .devices(IdentifierRange(after: nil, through: .random())),
            .members(IdentifierRange(after: .random(), through: nil)), .requester,
        ]
        let batches = recipients.enumerated().map { number, recipients in
            DeliveryBatch(
                key: DeliveryBatch.Key(deliveryID: delivery.id, number: number), recipients: recipients,
                sealedCounts: SealedCounts(bytes: Array(repeating: UInt8(number), count: 48)))
        }
        _ = try await write { try $0.expand(delivery.id, into: batches) }
        let experiment = ReminderExperiment(
            teamID: team.id, kind: .first, first: day, last: day.adding(days: 40),
            wordings: [
                .a: [.german: ReminderText(title: "A", body: hostile)], .b: [.german: ReminderText(title: "B")],
            ])
        try await insert(experiment)
        let counts = ExperimentCounts(a: SideCounts(members: 3, voted: 1), b: SideCounts(members: 4, voted: 2))
        for (number, result) in [nil, ExperimentResult.measured(counts), .withheld].enumerated() {
            let part = ExperimentSprint(
                experimentID: experiment.id, start: Instants.start + Double(14 * number) * Instants.day)
            try await write { try $0.noteMembers(MemberMarks([1, .max]), in: part) }
            if let result { #expect(try await write { try $0.record(result, of: part) }) }
        }
    }
}
