import Domain
import Mongo

/// A step from one schema to the next. Several processes may run it concurrently, and it is repeated after an
/// interruption, so `apply` creates what is missing and leaves what exists.
struct MongoMigration: Sendable {
    /// Never changed once merged: the database remembers it.
    let name: String
    /// Creates what is missing.
    let apply: @Sendable (MongoDatabase) throws -> Void
}

/// The migrations in order, from the schema of version 0.1.0 on (decision 56). A released migration is never edited:
/// changes need a further one. Collection names are spelled out, because they are those of that day.
enum MongoSchema {
    static let all = [
        MongoMigration(name: Baseline.name) { database in
            // Clustered, so that the documents do not show the order in which ballots and errors arrived.
            try createClustered(
                ["userSprints", "happiness", "feedback", "clientErrors", "spentPapers", "commitments"], in: database)
            let others = [
                "users", "sessions", "loginFailures", "teams", "memberships", "jobs", "fingerprints", "oneTimeTokens",
                "quotas", "invitations", "registrations", "externalIdentities", "devices", "reminderSettings",
                "deliveries", "deliveryBatches", "reminderExperiments", "experimentSprints", "actions", "processes",
                "ownTexts", "ballotKeys",
            ]
            for name in others { try createIfMissing(name, options: [:], in: database) }
            try createAccountIndexes(in: database)
            try createTeamIndexes(in: database)
            try createBallotIndexes(in: database)
            try createJobIndexes(in: database)
            try createLinkIndexes(in: database)
            try createDeviceIndexes(in: database)
            try createDeliveryIndexes(in: database)
            try createExperimentIndexes(in: database)
            try createActionIndexes(in: database)
            try database.collection("clientErrors").createIndex(
                ["resolved": 1, "lastDay": -1, "_id": 1], name: "resolved-lastDay")
        },
        MongoMigration(name: "0027-revocations") { database in
            // One document for each end of a user's id. They need no index.
            try createIfMissing("revocations", options: [:], in: database)
            try addSlots(to: database.collection("revocations"))
        },
        MongoMigration(name: "0032-clock") { database in
            // One document, which needs no index.
            try createIfMissing("clock", options: [:], in: database)
        },
        MongoMigration(name: "0033-deletions") { database in
            // Clustered, so that the documents do not show in which order people left.
            try createClustered(["deletions"], in: database)
        },
        MongoMigration(name: "0037-days-off") { database in
            // Few people have any; those documents alone are in the index.
            try database.collection("users").createIndex(
                ["notifications.daysOff": 1], name: "notifications-daysOff", options: ["sparse": true])
        },
        MongoMigration(name: "0040-search-texts") { database in
            for name in ["users", "teams"] {
                let collection = database.collection(name)
                try addSearchTexts(to: collection)
                try collection.createIndex(["foldedName": 1, "searchText": 1], name: "foldedName-searchText")
            }
        },
    ]

    /// The migrations of version 0.1.0.
    static let replaced: Set = [
        "0001-first-schema", "0002-accounts", "0003-open-sprints", "0004-invitations-per-team", "0005-devices",
        "0006-reminders", "0007-deliveries", "0008-reminder-experiments", "0009-pictures", "0010-actions",
        "0011-client-errors", "0012-processes", "0013-own-texts", "0015-cleared-sprints", "0021-reminder-hours",
        "0023-sealed-ballots", "0025-commitments",
    ]

    /// Adds the missing ones among `00` to `ff`.
    private static func addSlots(to revocations: MongoCollection) throws {
        let present = Set(try revocations.find([:], projection: ["_id": 1]).compactMap { $0["_id"]?.stringValue })
        let slots = (0...255).map { [UInt8($0)].hexadecimal }.filter { !present.contains($0) }
        guard !slots.isEmpty else { return }
        do {
            try revocations.insertMany(slots.map { ["_id": .string($0), "number": 0] })
        } catch let error as MongoError where error.kind == .duplicateKey {
            // Another process adds them, too.
            for slot in slots {
                try revocations.updateOne(
                    ["_id": .string(slot)], ["$setOnInsert": ["number": 0]], upsert: true)
            }
        }
    }

    /// Fills what `NameSearch` looks at in documents that lack it. One that an older process changes at this moment stays
    /// without, until its next change.
    private static func addSearchTexts(to collection: MongoCollection) throws {
        let names: BSONDocument = ["name": 1, "displayName": 1, "email": 1]
        let lacking = try collection.find(["searchText": ["$exists": false]], projection: names)
        let updates: [BulkUpdate] = try lacking.map { document in
            let name = try document.text("name")
            let text =
                if let email = document["email"]?.stringValue {
                    User.searchText(name: name, displayName: document["displayName"]?.stringValue, email: email)
                } else {
                    NameSearch.text(of: [name])
                }
            return BulkUpdate(document, ["$set": ["searchText": .string(text)]])
        }
        for start in stride(from: 0, to: updates.count, by: 500) {
            try collection.bulkUpdate(Array(updates[start...].prefix(500)), ordered: false)
        }
    }

    private static func createAccountIndexes(in database: MongoDatabase) throws {
        let users = database.collection("users")
        try users.createIndex(["foldedName": 1], name: "foldedName", unique: true)
        try users.createIndex(["foldedEmail": 1], name: "foldedEmail", unique: true)
        // Absences, picture and hour are fields that are missing if there are none.
        try users.createIndex(["absences.last": 1], name: "absences-last", options: ["sparse": true])
        try users.createIndex(
            ["picture.id": 1], name: "picture-id", unique: true,
            options: ["partialFilterExpression": ["picture.id": ["$exists": true]]])
        try users.createIndex(["notifications.hour": 1], name: "notifications-hour", options: ["sparse": true])
        let sessions = database.collection("sessions")
        try sessions.createIndex(["user": 1], name: "user")
        try sessions.createIndex(["expires": 1], name: "expires")
        try sessions.createIndex(["repeatUntil": 1], name: "repeatUntil", options: ["sparse": true])
        try database.collection("loginFailures").createIndex(["last": 1], name: "last")
    }

    private static func createTeamIndexes(in database: MongoDatabase) throws {
        let teams = database.collection("teams")
        try teams.createIndex(["foldedName": 1], name: "foldedName", unique: true)
        try teams.createIndex(
            ["shareTokenHash": 1], name: "shareTokenHash", unique: true,
            options: ["partialFilterExpression": ["shareTokenHash": ["$exists": true]]])
        let memberships = database.collection("memberships")
        try memberships.createIndex(["team": 1, "user": 1], name: "team-user")
        try memberships.createIndex(["user": 1], name: "user")
    }

    private static func createBallotIndexes(in database: MongoDatabase) throws {
        let sprints = database.collection("happiness")
        try sprints.createIndex(["team": 1, "start": 1], name: "team-start", unique: true)
        try sprints.createIndex(["team": 1, "label": 1], name: "team-label", unique: true)
        try sprints.createIndex(["team": 1, "ordinal": 1], name: "team-ordinal")
        try sprints.createIndex(
            ["team": 1], name: "team-open", options: ["partialFilterExpression": ["closed": false]])
        try sprints.createIndex(
            ["closes": 1], name: "closes-uncleared", options: ["partialFilterExpression": ["cleared": false]])
        try sprints.createIndex(
            ["team": 1, "start": 1, "cleared": 1], name: "team-start-uncleared",
            options: ["partialFilterExpression": ["cleared": false]])
        for name in ["userSprints", "feedback", "spentPapers", "commitments"] {
            try database.collection(name).createIndex(["team": 1, "start": 1, "_id": 1], name: "team-start-id")
        }
        try database.collection("ballotKeys").createIndex(["team": 1, "start": 1], name: "team-start", unique: true)
    }

    private static func createJobIndexes(in database: MongoDatabase) throws {
        let jobs = database.collection("jobs")
        try jobs.createIndex(
            ["dedupeKey": 1], name: "dedupeKey", unique: true,
            options: ["partialFilterExpression": ["dedupeKey": ["$exists": true]]])
        try jobs.createIndex(["state": 1, "runAt": 1, "_id": 1], name: "state-runAt")
    }

    private static func createLinkIndexes(in database: MongoDatabase) throws {
        let tokens = database.collection("oneTimeTokens")
        try tokens.createIndex(["subject": 1, "purpose": 1], name: "subject-purpose")
        try tokens.createIndex(["expires": 1], name: "expires")
        try database.collection("quotas").createIndex(["taken": 1], name: "taken")
        let invitations = database.collection("invitations")
        try invitations.createIndex(["team": 1, "foldedEmail": 1], name: "team-foldedEmail")
        // A missing team is a value for the index: one invitation per address without a team.
        try invitations.createIndex(["foldedEmail": 1, "team": 1], name: "foldedEmail-team", unique: true)
        try invitations.createIndex(["foldedEmail": 1, "_id": 1], name: "foldedEmail-id")
        try invitations.createIndex(["inviter": 1], name: "inviter")
        try invitations.createIndex(["sent": 1], name: "sent")
        let registrations = database.collection("registrations")
        try registrations.createIndex(["id": 1], name: "id", unique: true)
        try registrations.createIndex(["expires": 1], name: "expires")
        try database.collection("externalIdentities").createIndex(["user": 1], name: "user")
    }

    private static func createDeviceIndexes(in database: MongoDatabase) throws {
        let devices = database.collection("devices")
        try devices.createIndex(["addressHash": 1], name: "addressHash", unique: true)
        try devices.createIndex(["user": 1, "_id": 1], name: "user-id")
        try devices.createIndex(["session": 1], name: "session")
        try devices.createIndex(["refreshed": 1], name: "refreshed")
    }

    private static func createDeliveryIndexes(in database: MongoDatabase) throws {
        let deliveries = database.collection("deliveries")
        try deliveries.createIndex(
            ["team": 1, "start": 1, "kind": 1, "day": 1, "hour": 1], name: "team-start-kind-day-hour", unique: true,
            options: ["partialFilterExpression": ["isReminder": true]])
        try deliveries.createIndex(["team": 1, "day": -1, "_id": 1], name: "team-day")
        try deliveries.createIndex(["day": -1, "_id": 1], name: "day")
        try deliveries.createIndex(
            ["begun": 1, "_id": 1], name: "begun-sending", options: ["partialFilterExpression": ["state": "sending"]])
        try deliveries.createIndex(
            ["requestedBy": 1], name: "requestedBy",
            options: ["partialFilterExpression": ["requestedBy": ["$exists": true]]])
        try database.collection("deliveryBatches").createIndex(
            ["delivery": 1, "number": 1], name: "delivery-number", unique: true)
    }

    private static func createExperimentIndexes(in database: MongoDatabase) throws {
        let experiments = database.collection("reminderExperiments")
        try experiments.createIndex(["team": 1, "first": 1], name: "team-first")
        try experiments.createIndex(["last": 1], name: "last")
        try database.collection("experimentSprints").createIndex(
            ["experiment": 1, "start": 1], name: "experiment-start")
    }

    private static func createActionIndexes(in database: MongoDatabase) throws {
        let actions = database.collection("actions")
        try actions.createIndex(["team": 1, "state": 1, "rank": 1, "_id": 1], name: "team-state-rank")
        try actions.createIndex(
            ["team": 1, "began.start": -1, "_id": 1], name: "team-began",
            options: ["partialFilterExpression": ["began.start": ["$exists": true]]])
        try actions.createIndex(
            ["assignee": 1, "_id": 1], name: "assignee",
            options: ["partialFilterExpression": ["assignee": ["$exists": true]]])
    }
}

/// Building blocks for migrations.
extension MongoSchema {
    /// Creates collections whose documents are stored in order of `_id` (clustered). By default MongoDB stores
    /// documents in order of arrival, and reading three collections in that order would link names to values.
    private static func createClustered(_ names: [String], in database: MongoDatabase) throws {
        for name in names {
            try createIfMissing(name, options: ["clusteredIndex": ["key": ["_id": 1], "unique": true]], in: database)
        }
        try requireClustered(names, in: database)
    }

    /// Collections in which the order of arrival would reveal something.
    static let clustered = [
        "userSprints", "spentPapers", "commitments", "happiness", "feedback", "clientErrors", "deletions",
    ]

    /// Rejects collections stored in order of arrival, which a restore with the wrong tool creates.
    /// - Throws: `MongoStorageError.notClustered`.
    static func requireClustered(_ names: [String], in database: MongoDatabase) throws {
        for name in names {
            guard try isClustered(name, in: database) else { throw MongoStorageError.notClustered(collection: name) }
        }
    }

    private static func createIfMissing(_ name: String, options: BSONDocument, in database: MongoDatabase) throws {
        do {
            try database.createCollection(name, options: options)
        } catch let error as MongoError where error.kind == .command(code: namespaceExists) {
            return
        }
    }

    /// Whether the collection is clustered on `_id`.
    private static func isClustered(_ name: String, in database: MongoDatabase) throws -> Bool {
        let reply = try database.command(["listCollections": 1, "filter": ["name": .string(name)]])
        let collection = try reply.document("cursor")["firstBatch"]?.arrayValue?.first?.documentValue
        return collection?["options"]?.documentValue?["clusteredIndex"] != nil
    }

    /// NamespaceExists: another process was faster, or the collection already existed.
    private static let namespaceExists = 48
}
