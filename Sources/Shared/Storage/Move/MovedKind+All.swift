import Commitments
import Domain
import Foundation
import Mongo

extension MovedKind {
    /// All kinds of records, each after those that its rows refer to.
    ///
    /// A new table or collection, column or field needs its entry here: a test compares this list with both schemas.
    /// Heartbeats of processes are not moved, nor is the newest time that they wrote: the operator is there. Nor are the
    /// names of migrations, of which each store has its own.
    static let all = accounts + teamsAndBallots + work

    /// Tables of SQLite and collections of MongoDB that are not moved.
    static let left: (tables: Set<String>, collections: Set<String>) = (
        tables: ["processes", "clock", "grdb_migrations"],
        collections: Set([MongoCollectionName.processes, .clock, .migrations].map(\.rawValue))
    )

    private static func kind(
        _ collection: MongoCollectionName, table: String? = nil, order: String, _ fields: [MovedField]
    ) -> MovedKind {
        let table = table ?? collection.rawValue
        return MovedKind(
            name: collection.rawValue, collection: collection, table: table, source: table, order: order,
            fields: fields)
    }

    private static func text(_ values: [String: BSONValue], _ column: String) -> String {
        values[column]?.stringValue ?? ""
    }

    /// An instant as whole seconds in a key.
    private static func second(_ values: [String: BSONValue], _ column: String) -> String {
        guard case .date(let milliseconds) = values[column] else { return "" }
        return "\(milliseconds / 1_000)"
    }

    // MARK: - Accounts

    private static let accounts: [MovedKind] = {
        // Before the users, whose default team it is.
        let teams = kind(
            .teams, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "name"), .one(.text, "foldedName"),
                .one(.text, "calendar", "settings.calendar"), .one(.text, "timeZone", "settings.timeZone"),
                .one(.int, "threshold", "settings.threshold"), .one(.text, "policy", "settings.policy"),
                .one(.int, "graceDays", "settings.graceDays"),
                .one(.text, "feedbackReaders", "settings.feedbackReaders"),
                .one(.text, "ballots", "settings.ballots", missing: "any"),
                .one(.text, "actionAuthors", "settings.actionAuthors", missing: "team"), .one(.int, "memberCount"),
                .one(.int, "publicationNumber"), .one(.bytes, "shareTokenHash"),
                .one(.int, "actionChanges", missing: 0), .one(.text, "searchText", missing: ""),
            ])
        var users = kind(
            .users, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "name"), .one(.text, "foldedName"), .one(.text, "email"),
                .one(.text, "foldedEmail"), .one(.text, "role"), .one(.bool, "isDisabled"), .one(.text, "locale"),
                .one(.bool, "notifiesByPush", "notifications.push"),
                .one(.bool, "notifiesByMail", "notifications.mail"),
                .one(.bool, "notifiesOfResults", "notifications.results", missing: false),
                .one(.int, "reminderHour", "notifications.hour"),
                days("daysOff", "notifications.daysOff", missing: "", isSparse: true), .one(.text, "createdOn"),
                .one(.text, "displayName"),
                .one(.text, "pendingEmail"), .one(.text, "passwordHash"), .one(.text, "defaultTeam"),
                .one(.text, "picture", "picture.id"), .one(.milliseconds, "pictureUploadedAt", "picture.uploadedAt"),
                .one(.text, "addressFault", "addressFault.kind"),
                .one(.text, "addressFaultSince", "addressFault.since"), .one(.text, "emailSetOn"),
                .one(.bool, "passwordIsHandedOut", missing: false), .one(.text, "searchText", missing: ""),
            ])
        users.parts = [
            MovedPart(
                table: "absences", array: "absences", links: [(own: MovedColumn(name: "user", form: .text), of: "id")],
                order: "first, last", fields: [.one(.text, "first"), .one(.text, "last")])
        ]
        var memberships = kind(
            .memberships, order: "user, team", [.one(.text, "team"), .one(.text, "user"), .one(.text, "role")])
        memberships.derived = { values in
            [(field: "_id", value: .string("\(text(values, "team"))|\(text(values, "user"))"))]
        }
        let sessions = kind(
            .sessions, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "user"), .one(.text, "device"), .one(.milliseconds, "expires"),
                .one(.text, "lastUsed"), .one(.bytes, "seed"), .one(.int, "generation"),
                .one(.milliseconds, "repeatUntil"),
            ])
        let loginFailures = kind(
            .loginFailures, order: "key",
            [.one(.bytes, "key", "_id"), .one(.int, "count"), .one(.milliseconds, "last")])
        let revocations = kind(.revocations, order: "slot", [.one(.text, "slot", "_id"), .one(.int, "number")])
        let deletions = kind(.deletions, order: "hash", [.one(.bytes, "hash", "_id"), .one(.text, "day")])
        let tokens = kind(
            .oneTimeTokens, order: "hash",
            [
                .one(.bytes, "hash", "_id"), .one(.text, "purpose"), .one(.text, "subject"), .one(.text, "email"),
                .one(.milliseconds, "expires"),
            ])
        let quotas = MovedKind(
            name: "quotas", collection: .quotas, table: nil, source: "(SELECT DISTINCT key FROM quotaPlaces)",
            order: "key", fields: [.one(.bytes, "key", "_id")],
            parts: [
                MovedPart(
                    table: "quotaPlaces", array: "taken",
                    links: [(own: MovedColumn(name: "key", form: .bytes), of: "key")], order: "taken",
                    position: "id", fields: [.one(.milliseconds, "taken", "")])
            ],
            ignored: ["isGranted"])
        let invitations = kind(
            .invitations, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "email"), .one(.text, "foldedEmail"), .one(.text, "role"),
                .one(.text, "team"), .one(.text, "teamRole"), .one(.text, "locale"), .one(.text, "inviter"),
                .one(.text, "sent"),
            ])
        let registrations = kind(
            .registrations, order: "id",
            [
                .one(.text, "foldedEmail", "_id"), .one(.text, "id"), .one(.text, "name"), .one(.text, "email"),
                .one(.text, "passwordHash"), .one(.text, "role"), .one(.text, "locale"), .one(.milliseconds, "expires"),
            ])
        let identities = kind(
            .externalIdentities, order: "issuer, subject",
            [
                .one(.text, "issuer", "_id.issuer"), .one(.text, "subject", "_id.subject"), .one(.text, "user"),
                .one(.text, "emailMark"),
            ])
        return [
            teams, users, memberships, sessions, loginFailures, revocations, deletions, tokens, quotas, invitations,
            registrations, identities,
        ]
    }()

    // MARK: - Teams and ballots

    /// The tally that a sprint has now, at the top of its document, or one in `snapshot` or `published`.
    /// - Parameter columns: what the names of the distribution's columns begin with.
    private static func tally(
        _ columns: String, count: String, sum: String, randomness: String, _ prefix: String
    ) -> [MovedField] {
        [
            .one(.int, count, "\(prefix)count"), .one(.int, sum, "\(prefix)sum"),
            .numbers(SprintRecord.distribution(columns), "\(prefix)distribution"),
            .one(.bytes, randomness, "\(prefix)randomness", missing: .binary(BlindingFactor.zero.bytes)),
        ]
    }

    private static let label = MovedField(
        "label",
        [
            MovedColumn(name: "labelYear", form: .int), MovedColumn(name: "labelNumber", form: .int),
            MovedColumn(name: "labelSuffix", form: .text),
        ],
        join: { values in
            let label = SprintLabel(
                year: values[0].intValue ?? 0, number: values[1].intValue ?? 0, suffix: values[2].stringValue ?? "")
            return BSONValue.string(label.description)
        },
        split: { stored in
            guard let label = stored?.stringValue.flatMap({ SprintLabel($0) }) else {
                throw UnreadableDocument(field: "label")
            }
            return [BSONValue.int(label.year), BSONValue.int(label.number), BSONValue.string(label.suffix)]
        })

    private static let team = MovedField.one(.text, "team")
    private static let start = MovedField.one(.seconds, "sprintStart", "start")

    private static let teamsAndBallots: [MovedKind] = {
        var fields: [MovedField] = [
            team, start, .one(.seconds, "sprintEnd", "end"), .one(.seconds, "closes"), label, .one(.int, "threshold"),
            .one(.text, "policy"), .one(.text, "feedbackReaders"), .one(.text, "ballots", missing: "any"),
        ]
        fields += tally("count", count: "count", sum: "sum", randomness: "randomness", "")
        fields += tally(
            "snapshot", count: "snapshotCount", sum: "snapshotSum", randomness: "snapshotRandomness", "snapshot.")
        fields += tally(
            "published", count: "publishedCount", sum: "publishedSum", randomness: "publishedRandomness", "published.")
        let rest: [MovedField] = [
            .one(.int, "snapshotNumber", "snapshot.number"), .one(.int, "publishedNumber", "published.number"),
            .one(.bool, "isClosed", "closed"), .one(.int, "eligible"), .one(.int, "joined", missing: 0),
            .one(.int, "raisedFrom", "raise.from"), .one(.int, "raisedAtCount", "raise.ballots", missing: 0),
            .one(.bool, "isRaiseSpent", "raise.spent", missing: false),
            .one(.int, "papersIssued", "papers.issued", missing: 0),
            .one(.int, "papersSpent", "papers.spent", missing: 0),
            .one(.int, "sealed"), .one(.bool, "isCleared", "cleared", missing: false),
            .flag("isImported", "imported", presentFor: true),
        ]
        var sprints = kind(.happiness, order: "team, sprintStart", fields + rest)
        sprints.derived = { values in
            let year = values["labelYear"]?.intValue ?? 0
            let number = values["labelNumber"]?.intValue ?? 0
            return [
                (field: "_id", value: .string("\(text(values, "team"))|\(second(values, "sprintStart"))")),
                (field: "ordinal", value: .int(SprintLabel(year: year, number: number).ordinal)),
            ]
        }
        let receipts = kind(
            .userSprints, order: "team, sprintStart, receipt",
            [
                .one(.bytes, "receipt", "_id"), team, start, .flag("isCounted", "extra", presentFor: false),
                .one(.bytes, "paper"),
            ])
        let papers = kind(
            .spentPapers, order: "team, sprintStart, paper",
            [
                .one(.bytes, "paper", "_id"), team, start, .one(.int, "snapshot"), .one(.bytes, "bytes", "paper"),
                .one(.bytes, "signature"),
            ])
        let commitments = kind(
            .commitments, order: "team, sprintStart, bytes",
            [.one(.bytes, "bytes", "_id"), team, start, .one(.int, "snapshot")])
        let keys = kind(
            .ballotKeys, order: "id",
            [.one(.bytes, "id", "_id"), team, start, .one(.bytes, "publicKey"), .one(.bytes, "privateKey")])
        let feedback = kind(
            .feedback, order: "team, sprintStart, id",
            [
                .one(.text, "id", "_id"), team, start, .one(.int, "snapshot"), .one(.text, "text"),
                .one(.bytes, "sealed"),
            ])
        var actions = kind(
            .actions, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "team"), .one(.text, "title"), .one(.text, "notes"),
                .one(.text, "quote"), .one(.text, "quoteReaders"), .one(.text, "assignee"), .one(.text, "due"),
                .one(.text, "state"), .one(.int, "rank"), .one(.seconds, "madeStart", "made.start"),
                .one(.text, "madeLabel", "made.label"), .one(.seconds, "beganStart", "began.start"),
                .one(.text, "beganLabel", "began.label"), .one(.int, "version"),
            ])
        actions.parts = [
            MovedPart(
                table: "actionSupport", array: "support",
                links: [(own: MovedColumn(name: "action", form: .text), of: "id")], order: "mark",
                fields: [.one(.bytes, "mark", "")])
        ]
        return [sprints, receipts, papers, commitments, keys, feedback, actions]
    }()

    // MARK: - Reminders and operation

    /// Texts in several languages.
    private static func texts(_ table: String, of key: String, _ link: String, _ side: String) -> MovedPart {
        MovedPart(
            table: table, array: "texts", links: [(own: MovedColumn(name: link, form: .text), of: key)],
            order: "\(side), locale",
            fields: [.one(.text, side), .one(.text, "locale"), .one(.text, "title"), .one(.text, "body")])
    }

    /// Days that are one text in SQLite, with spaces between them, and an array in MongoDB.
    /// - Parameter missing: the days of a document that lacks the field; `nil` if each has it. Then, and unless
    ///   `isSparse`, no days are an empty array.
    private static func days(
        _ column: String, _ field: String? = nil, missing: String? = nil, isSparse: Bool = false
    ) -> MovedField {
        let path = field ?? column
        return MovedField(
            path, [MovedColumn(name: column, form: .text)],
            join: { values in
                let days = values[0].stringValue?.split(separator: " ") ?? []
                if isSparse, days.isEmpty { return nil }
                return BSONValue.array(days.map { BSONValue.string(String($0)) })
            },
            split: { stored in
                if stored == nil, let missing { return [BSONValue.string(missing)] }
                let days = try stored?.arrayValue?.map { day -> String in
                    guard let text = day.stringValue else { throw UnreadableDocument(field: path) }
                    return text
                }
                guard let days else { throw UnreadableDocument(field: path) }
                return [BSONValue.string(days.joined(separator: " "))]
            })
    }

    private static let work: [MovedKind] = {
        var reminders = kind(
            .reminderSettings, order: "team",
            [
                .one(.text, "team", "_id"), .one(.bool, "isOn"), .one(.text, "timing", missing: "start"),
                .one(.int, "hour"), .one(.bool, "remindsAgain"), days("weekend", missing: "saturday sunday"),
                days("holidays"),
            ])
        reminders.parts = [texts("reminderTexts", of: "team", "team", "kind")]
        let devices = kind(
            .devices, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "user"), .one(.text, "session"), .one(.text, "service"),
                .one(.text, "token"), .one(.bytes, "publicKey"), .one(.bytes, "authenticationSecret"),
                .one(.bytes, "addressHash"), .one(.text, "platform"), .one(.text, "appVersion"), .one(.text, "locale"),
                .one(.text, "refreshed"),
            ])
        let jobs = kind(
            .jobs, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "kind"), .one(.text, "payload"), .one(.text, "dedupeKey"),
                .one(.text, "state"), .one(.milliseconds, "runAt"), .one(.milliseconds, "since"),
                .one(.int, "attempts"),
                .one(.text, "leaseOwner"), .one(.milliseconds, "leaseUntil"), .one(.text, "lastError"),
            ])
        var deliveries = kind(
            .deliveries, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "team"), .one(.seconds, "sprintStart", "start"),
                .one(.text, "kind"), .one(.text, "day"), .one(.int, "hour"), .one(.text, "state"),
                .one(.milliseconds, "begun"), .one(.text, "trouble"), .one(.text, "title"), .one(.text, "body"),
                .one(.text, "requestedBy"),
            ])
        deliveries.derived = { values in
            let occasion = Delivery.Kind(rawValue: text(values, "kind"))
            return [(field: "isReminder", value: .bool(occasion?.dependsOnVotes ?? false))]
        }
        var batches = kind(
            .deliveryBatches, order: "delivery, number",
            [
                .one(.text, "delivery"), .one(.int, "number"), .one(.text, "recipients"),
                .one(.text, "rangeAfter", "after"), .one(.text, "rangeThrough", "through"), .one(.bytes, "counts"),
                .one(.bool, "isDone"), .one(.bytes, "pending"),
            ])
        batches.derived = { values in
            [(field: "_id", value: .string("\(text(values, "delivery"))|\(values["number"]?.intValue ?? 0)"))]
        }
        var experiments = kind(
            .reminderExperiments, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "team"), .one(.text, "kind"), .one(.text, "firstDay", "first"),
                .one(.text, "lastDay", "last"),
            ])
        experiments.parts = [texts("experimentTexts", of: "id", "experiment", "side")]
        experiments.ignored = ["changes"]
        var results = kind(
            .experimentSprints, order: "experiment, sprintStart",
            [
                .one(.text, "experiment"), .one(.seconds, "sprintStart", "start"), .one(.bytes, "members"),
                .one(.text, "result"), .numbers(["membersA", "votedA", "membersB", "votedB"], "counts"),
            ])
        results.derived = { values in
            [(field: "_id", value: .string("\(text(values, "experiment"))|\(second(values, "sprintStart"))"))]
        }
        return [reminders, devices, jobs, deliveries, batches, experiments, results] + installation
    }()

    private static let installation: [MovedKind] = {
        var errors = kind(
            .clientErrors, order: "id",
            [
                .one(.text, "id", "_id"), .one(.text, "app"), .one(.text, "level"), .one(.text, "message"),
                .one(.text, "firstDay"), .one(.text, "lastDay"), .one(.int, "countBefore"),
                .one(.int, "countOnLastDay"), .one(.text, "versions"), .one(.text, "stack"), .one(.text, "version"),
                .one(.text, "platform"), .one(.text, "tags"), .one(.bool, "isResolved", "resolved"),
            ])
        // Only compared with itself.
        errors.derived = { _ in [(field: "changes", value: 0)] }
        let keys = ["language", "name"]
        let texts = MovedKind(
            name: "ownTexts", collection: .ownTexts, filter: ["language": ["$exists": true]], table: nil,
            source: "(SELECT DISTINCT language, name FROM textChanges)", order: "language, name",
            fields: keys.map { .one(.text, $0) },
            parts: [
                MovedPart(
                    table: "textChanges", array: "changes",
                    links: keys.map { (own: MovedColumn(name: $0, form: .text), of: $0) }, order: "number",
                    isOrdered: true, position: "number", fields: [.one(.text, "day"), .one(.text, "text")])
            ],
            derived: { values in
                [(field: "_id", value: .string("\(text(values, "language")) \(text(values, "name"))"))]
            })
        let version = MovedKind(
            name: "version of ownTexts", collection: .ownTexts, filter: ["language": ["$exists": false]],
            table: "textVersion", source: "textVersion WHERE number > 0", order: "id",
            fields: [
                MovedField(
                    "_id", [MovedColumn(name: "id", form: .int)], join: { _ in BSONValue.string("version") },
                    split: { _ in [BSONValue.int(1)] }),
                .one(.int, "number"),
            ])
        let fingerprints = kind(
            .fingerprints, table: "secrets", order: "name",
            [.one(.text, "name", "_id"), .one(.bytes, "fingerprint")])
        return [errors, texts, version, fingerprints]
    }()
}
