package import Domain
import Foundation
import Mongo

/// The database of the first system. It is read and never written.
package enum ClassicDatabase {
    private static let users = "users"
    private static let results = "happinesses"
    private static let votes = "usersprints"

    /// Reads all documents of accounts, sprints and votes.
    /// - Parameters:
    ///   - uri: `mongodb://…` or `mongodb+srv://…`, with the database in its path.
    ///   - names: the names of fields of `users`, where they are not those of `ClassicDump.Field`.
    /// - Throws: `ClassicDatabaseError`, which repeats no part of the URI.
    package static func read(
        _ uri: String, names: [ClassicDump.Field: String] = [:]
    ) async throws -> ClassicDump {
        do {
            let client = try MongoClient(uri: uri, options: options)
            // It blocks while calls are under way, and there are none.
            defer { Thread { client.close() }.start() }
            return try await client.run { try dump($0, names: names) }
        } catch let error as MongoError {
            throw ClassicDatabaseError(error)
        }
    }

    /// One caller, and time-outs for a server that may be far away.
    private static var options: MongoOptions {
        var options = MongoOptions()
        options.poolSize = 1
        options.blockingPoolSize = 1
        options.questionPoolSize = 0
        options.connectTimeoutMilliseconds = 10_000
        options.serverSelectionTimeoutMilliseconds = 10_000
        return options
    }

    private static func dump(
        _ database: MongoDatabase, names: [ClassicDump.Field: String]
    ) throws -> ClassicDump {
        let present = try database.collectionNames()
        guard present.contains(users) || present.contains(results) else {
            throw ClassicDatabaseError(
                "The database has neither a collection \(users) nor \(results). Is the database’s name right?")
        }
        func documents(_ collection: String) throws -> [BSONDocument] {
            // Other read concerns fail on some of the servers that such a system ran on.
            try database.collection(collection)
                .find([:], sort: ["_id": 1], options: ["readConcern": ["level": "local"]])
        }
        return ClassicDump(
            people: try documents(users).map { ClassicDump.Person($0, names: names) },
            results: try documents(results).map(ClassicDump.Result.init),
            votes: try documents(votes).compactMap(ClassicDump.Vote.init))
    }
}

/// Why the first system's database cannot be read, in words for the operator.
package struct ClassicDatabaseError: OperatorProblem {
    /// One line, without a part of the URI.
    package let description: String

    fileprivate init(_ description: String) {
        self.description = description
    }

    fileprivate init(_ error: MongoError) {
        let reason =
            switch error.kind {
            case .invalidArgument: "\(error.operatorMessage)."
            case .unreachable, .timedOut: "it cannot be reached."
            case .command(code: 18): "it does not accept user and password."
            case .command(code: 13): "the user may not read it."
            default: "its server answers with error \(error.code)."
            }
        self.init("The first system’s database cannot be read: \(reason)")
    }
}

extension ClassicDump.Person {
    fileprivate init(_ document: BSONDocument, names: [ClassicDump.Field: String]) {
        func text(_ field: ClassicDump.Field) -> String? {
            document[names[field] ?? field.rawValue]?.stringValue
        }
        self.init(
            created: document["_id"]?.objectIDDate, username: text(.username), email: text(.email),
            password: text(.password), profilePicture: text(.profilePicture), deviceToken: text(.deviceToken))
    }
}

extension ClassicDump.Result {
    fileprivate init(_ document: BSONDocument) {
        self.init(
            sprint: document["sprint"]?.stringValue, happiness: document["happiness"]?.doubleValue,
            votes: document["votes"]?.intValue, happinesssum: document["happinesssum"]?.doubleValue,
            month: document["month"]?.intValue,
            feedbacks: document["feedbacks"]?.arrayValue?.compactMap(\.stringValue) ?? [])
    }
}

extension ClassicDump.Vote {
    fileprivate init?(_ document: BSONDocument) {
        guard let username = document["username"]?.stringValue, let sprint = document["sprint"]?.stringValue else {
            return nil
        }
        self.init(username: username, sprint: sprint)
    }
}

extension BSONValue {
    /// The second in which an ObjectId was made, its first four bytes; `nil` for any other type.
    fileprivate var objectIDDate: Date? {
        guard case .objectID(let bytes) = self else { return nil }
        let seconds = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return Date(timeIntervalSince1970: Double(seconds))
    }
}
