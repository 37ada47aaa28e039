import Mongo

/// The stores on a MongoDB replica set, for any number of processes.
enum MongoStorage {
    /// The database if the URI's path names none.
    private static let defaultDatabase = "happiness"

    /// Validates the URI and creates the stores, which connect on first use.
    /// - Parameter isRestoring: whether to accept the database although its restore has not finished.
    /// - Throws: `MongoStorageError` if the URI cannot be parsed; the message quotes no part of it.
    static func open(uri: String, isRestoring: Bool = false) throws -> Stores {
        let connection = MongoConnection(try client(uri: uri, options: requestOptions))
        return Stores(
            rows: MongoStore(connection: connection),
            ballots: MongoBallotStore(connection: connection),
            ballotKeys: MongoBallotKeyStore(connection: connection),
            jobs: MongoJobStore(connection: connection),
            system: MongoSystemStore(connection: connection, uri: uri, isRestoring: isRestoring))
    }

    /// The URI of a database beside another one: on the same server, with the same login.
    /// - Parameter suffix: added to the database's name.
    static func uri(_ uri: String, databaseSuffix suffix: String) -> String {
        let parts = /(mongodb(?:\+srv)?:\/\/[^\/?]+)(?:\/([^?]*))?(\?.*)?/
        // Otherwise the driver will reject it.
        guard let match = uri.wholeMatch(of: parts) else { return uri }
        let (servers, name) = (match.1, match.2 ?? "")
        var options = String(match.3 ?? "")
        // By default users are looked up in the database of the path.
        if servers.contains("@"), !options.lowercased().contains("authsource=") {
            options += "\(options.isEmpty ? "?" : "&")authSource=\(name.isEmpty ? "admin" : name)"
        }
        return "\(servers)/\(name.isEmpty ? defaultDatabase[...] : name)\(suffix)\(options)"
    }

    /// A connection for calls that may take long, such as building indexes.
    static func openForMigration(uri: String) throws -> MongoConnection {
        MongoConnection(try client(uri: uri, options: MongoOptions()))
    }

    /// A connection for a restore, which waits for the transaction of a killed one: where the server does not let us end
    /// it, it does so itself after a minute (`transactionLifetimeLimitSeconds`).
    static func openForRestore(uri: String) throws -> MongoConnection {
        var options = MongoOptions()
        options.socketTimeoutMilliseconds = 90_000
        return MongoConnection(try client(uri: uri, options: options))
    }

    /// A request must get its 503 within five seconds even if a server stops responding without closing connections:
    /// one call without a reply (2 s), and two searches for another primary (1.2 s each), for the second attempt or for
    /// ending the transaction. The URI's own options take precedence, for servers that are slow or far away.
    private static var requestOptions: MongoOptions {
        var options = MongoOptions()
        options.socketTimeoutMilliseconds = 2_000
        options.connectTimeoutMilliseconds = 1_000
        options.serverSelectionTimeoutMilliseconds = 1_200
        options.writeTimeoutMilliseconds = 1_800
        options.waitQueueTimeoutMilliseconds = 2_500
        // Leaves time for a last attempt that begins just before, and waits for a majority that does not respond.
        options.transactionTimeLimitMilliseconds = 2_000
        // Each committer asks at most one question at a time.
        options.questionPoolSize = MongoSystemStore.committerCount
        return options
    }

    private static func client(uri: String, options: MongoOptions) throws -> MongoClient {
        do {
            return try MongoClient(uri: uri, defaultDatabaseName: defaultDatabase, options: options)
        } catch let error as MongoError {
            throw MongoStorageError.unusableURI(reason: error.operatorMessage)
        }
    }
}

/// The reason why a MongoDB deployment cannot be used, in words for the operator who starts the program.
enum MongoStorageError: OperatorProblem, Equatable {
    /// The URI cannot be parsed.
    case unusableURI(reason: String)
    /// A standalone server has no transactions, and casting a ballot needs one.
    case standaloneServer
    /// A later version of this program has changed the schema.
    case newerSchema(migration: String)
    /// A restore, or a move to this database, has started but not finished.
    case restoreUnfinished
    /// A backup or restore failed.
    case backup(String)
    /// A collection that must not reveal an order of arrival was created unclustered by another program.
    case notClustered(collection: String)

    var description: String {
        switch self {
        case .unusableURI(let reason):
            "DATABASE_URL cannot be used: \(reason)"
        case .standaloneServer:
            """
            The MongoDB server runs standalone, without transactions, which ballots need. Turn it into a replica set \
            of one node, which keeps its data: stop it, start it again with the option --replSet rs0 \
            (mongod --replSet rs0 …, or replication.replSetName: rs0 in mongod.conf), run once \
            mongosh --eval 'rs.initiate()', and add the replica set to the URI: \
            DATABASE_URL=mongodb://HOST:27017/happiness?replicaSet=rs0
            """
        case .newerSchema(let migration):
            """
            The database was used by a newer version of this program (migration \(migration) is unknown here). \
            Start that version, or restore a backup made before the upgrade.
            """
        case .restoreUnfinished:
            """
            A restore of this database, or a move to it, began and did not end, so some of its data is missing. Repeat \
            it: HappinessAPI restore FILE, or HappinessAPI move with the settings of the old store
            """
        case .backup(let words):
            words
        case .notClustered(let collection):
            """
            The collection \(collection) exists already, but was not made by this program: it is not clustered on _id, \
            so its storage order would show who voted, or met an error, when. Name another database in DATABASE_URL.
            """
        }
    }
}
