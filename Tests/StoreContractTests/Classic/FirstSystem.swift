import Domain
import Foundation
import Mongo
import Services
import Storage
import TestSupport

/// A made-up database of the first system on the server shared by all tests.
struct FirstSystem {
    /// An account, with the password that its hash was made from.
    struct Person {
        let name: String
        let email: String
        let password: String
        let hash: String
    }

    /// What one document of `happinesses` says.
    struct Result {
        let sprint: String
        let happiness: Double
        let votes: Int
        let sum: Double
        let feedbacks: [String]
    }

    let uri: String
    let client: MongoClient
    let people: [Person]
    let results: [Result]
    /// The names of those who voted in the running sprint, the last of `results`.
    let voters: [String]

    /// Creates people, and four years of sprints up to the one that runs at `Instants.now`.
    static func make(people count: Int, hasher: PasswordHasher) async throws -> FirstSystem {
        let name = MongoServer.uniqueDatabaseName()
        let server = try await MongoServer.shared
        var people: [Person] = []
        for number in 0..<count {
            let password = "the secret of person \(number)"
            let hash = try await hasher.hash(password)
            // The libraries of that time wrote other letters for the same function.
            let kind = ["$2a$", "$2b$", "$2y$"][number % 3]
            people.append(
                Person(
                    name: "Person.\(number)", email: "person\(number)@example.org", password: password,
                    hash: kind + hash.dropFirst(4)))
        }
        var random = SeededGenerator(seed: 2_019)
        let spans = SprintCalendar.isoFortnight.spans(
            from: Instants.now - 4 * 365 * Instants.day, until: Instants.now, in: .gmt)
        var results: [Result] = []
        var documents: [BSONDocument] = []
        var votes: [BSONDocument] = []
        var voters: [String] = []
        for span in spans {
            let label = span.label.description
            voters = people.filter { _ in Bool.random(using: &random) }.map(\.name)
            let values = voters.map { _ in Double(Int.random(in: 0...20, using: &random)) / 2 }
            let sum = values.reduce(0, +)
            let texts = (0..<5).map { "Feedback \($0) on \(label)" }
            let result = Result(
                sprint: label, happiness: sum / Double(values.count), votes: values.count, sum: sum, feedbacks: texts)
            results.append(result)
            documents.append([
                "sprint": .string(label), "happiness": .double(result.happiness), "votes": .int32(Int32(result.votes)),
                "happinesssum": .double(sum), "sprintyear": .int(span.label.year),
                // From 0 for January.
                "month": .int(CalendarDay(instant: span.start, in: .gmt).month - 1),
                "feedbacks": .array(texts.map { .string($0) }),
            ])
            votes += voters.map { name -> BSONDocument in ["username": .string(name), "sprint": .string(label)] }
        }
        let users = people.enumerated().map { number, person -> BSONDocument in
            [
                "_id": .objectID(objectID(number)), "username": .string(person.name), "mail": .string(person.email),
                "password": .string(person.hash),
            ]
        }
        let client = try server.client(database: name)
        let (allDocuments, allVotes) = (documents, votes)
        try await client.run { database in
            try database.collection("users").insertMany(users)
            try database.collection("happinesses").insertMany(allDocuments)
            try database.collection("usersprints").insertMany(allVotes)
        }
        return FirstSystem(
            uri: server.uri(database: name), client: client, people: people, results: results, voters: voters)
    }

    /// Reads it as the command does.
    func read() async throws -> ClassicDump {
        try await ClassicDatabase.read(uri, names: [.email: "mail"])
    }

    /// All documents, to see that none has changed.
    func documents() async throws -> [[BSONDocument]] {
        try await client.run { database in
            try database.collectionNames().sorted().map { try database.collection($0).find([:], sort: ["_id": 1]) }
        }
    }

    func drop() async throws {
        try await client.run { try $0.drop() }
    }

    /// The id of an account that was created in September 2020.
    private static func objectID(_ number: Int) -> [UInt8] {
        let seconds = UInt32(1_600_000_000 + number)
        let time = (0..<4).map { UInt8(truncatingIfNeeded: seconds >> UInt32(24 - 8 * $0)) }
        return time + [UInt8](repeating: 0, count: 8)
    }
}
