import Commitments
import Domain
import Foundation
import GRDB

/// A row of `happiness`, with one way to read it and one to insert it.
extension SprintRecord {
    /// The columns in the order in which `init(_:)` reads them.
    static let columns: String = {
        let terms = [
            "team", "sprintStart", "sprintEnd", "closes", "labelYear", "labelNumber", "labelSuffix", "threshold",
            "policy", "feedbackReaders", "ballots", "isImported",
        ]
        let counted = ["count", "sum"] + distribution("count") + ["randomness"]
        let snapshot = tally("snapshot") + ["snapshotNumber"]
        let published = tally("published") + ["publishedNumber"]
        return
            (terms + counted + snapshot + published
            + [
                "isClosed", "eligible", "joined", "raisedFrom", "raisedAtCount", "isRaiseSpent", "papersIssued",
                "papersSpent", "sealed", "isCleared",
            ])
            .joined(separator: ", ")
    }()

    /// The names of a tally's columns, in the order of `Tally.arguments`.
    static func tally(_ prefix: String) -> [String] {
        ["\(prefix)Count", "\(prefix)Sum"] + distribution(prefix) + ["\(prefix)Randomness"]
    }

    /// The names of a distribution's eleven columns.
    static func distribution(_ prefix: String) -> [String] {
        (0...10).map { "\(prefix)\($0)" }
    }

    /// Reads a row of `columns`.
    init(_ row: inout SQLiteRow) throws {
        let sprint = Sprint(
            teamID: try row.parsed(), start: row.second(), end: row.second(), closes: row.second(),
            label: SprintLabel(year: row.value(), number: row.value(), suffix: row.value()), threshold: row.value(),
            policy: try row.named(), feedbackReaders: try row.named(), ballots: try row.named(),
            isImported: row.value())
        let state = PublicationState(
            current: try Tally(&row), snapshot: try Tally(&row), snapshotNumber: row.value(),
            published: try Tally(&row),
            publishedNumber: row.value(), isClosed: row.value())
        self.init(
            sprint: sprint, state: state, eligible: row.optional(), joined: row.value(),
            raise: ThresholdRaise(from: row.optional(), ballots: row.value(), isSpent: row.value()),
            papers: PaperCounts(issued: row.value(), spent: row.value()), sealed: row.optional(),
            isCleared: row.value())
    }

    fileprivate var arguments: SQLiteArguments {
        let terms: SQLiteArguments = [
            sprint.teamID.description, sprint.start.seconds, sprint.end.seconds, sprint.closes.seconds,
            sprint.label.year, sprint.label.number, sprint.label.suffix, sprint.threshold, sprint.policy.rawValue,
            sprint.feedbackReaders.rawValue, sprint.ballots.rawValue, sprint.isImported,
        ]
        return terms + state.current.arguments + state.snapshot.arguments + [state.snapshotNumber]
            + state.published.arguments + [state.publishedNumber, state.isClosed, eligible]
            + [joined, raise.from, raise.ballots, raise.isSpent, papers.issued, papers.spent, sealed, isCleared]
    }
}

extension Tally {
    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            count: row.value(), sum: row.value(), distribution: (0...10).map { _ in row.value() },
            randomness: try row.randomness())
    }

    /// Count, sum, the eleven columns of the distribution, and the randomness.
    var arguments: SQLiteArguments {
        SQLiteArguments([count, sum] + distribution) + [Data(randomness.bytes)]
    }
}

extension Database {
    /// A sprint by key; `nil` if there is none.
    func sprint(_ key: Sprint.Key) throws -> SprintRecord? {
        try first(Self.sprintByKey, [key.teamID.description, key.start.seconds]) { try SprintRecord(&$0) }
    }

    /// Inserts a row.
    func insert(_ record: SprintRecord) throws {
        let arguments = record.arguments
        let places = SprintRecord.columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")
        try change("INSERT INTO happiness (\(SprintRecord.columns)) VALUES (\(places))", arguments)
    }

    private static let sprintByKey =
        "SELECT \(SprintRecord.columns) FROM happiness WHERE team = ? AND sprintStart = ?"
}
