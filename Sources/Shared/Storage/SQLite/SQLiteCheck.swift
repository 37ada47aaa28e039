import Domain
import GRDB

/// Checks whether the file is sound.
extension Database {
    /// - Throws: `DamagedStore` if SQLite finds the file's structure broken. Reads the whole file.
    func requireIntactPages() throws {
        let problem = try String.fetchOne(self, sql: "PRAGMA quick_check(1)")
        guard problem == "ok" else {
            throw DamagedStore("The SQLite file is damaged. Restore a backup: HappinessAPI restore FILE")
        }
    }

    /// Sprints that are not cleared and whose numbers of ballots and receipts differ.
    func receiptMismatches() throws -> [ReceiptMismatch] {
        try rows(
            """
            SELECT teams.name, labelYear, labelNumber, labelSuffix FROM happiness JOIN teams ON teams.id = happiness.team
            WHERE \(Self.isMismatch)
            """
        ) { row in
            let team: String = row.value()
            let label = SprintLabel(year: row.value(), number: row.value(), suffix: row.value())
            return ReceiptMismatch(team: team, sprint: label.description)
        }
    }

    /// Makes the numbers of receipts and ballots equal: adds random receipts where some are missing, and marks surplus
    /// ones as not representing a ballot.
    func matchReceipts() throws {
        let sprints: [(team: String, start: Int, missing: Int)] = try rows(
            "SELECT team, sprintStart, count - papersSpent - \(Self.receiptCount) FROM happiness WHERE \(Self.isMismatch)"
        ) { (team: $0.value(), start: $0.value(), missing: $0.value()) }
        for sprint in sprints {
            for _ in 0..<max(0, sprint.missing) {
                try change(
                    "INSERT INTO userSprints (team, sprintStart, receipt) VALUES (?, ?, randomblob(32))",
                    [sprint.team, sprint.start])
            }
            try change(
                """
                UPDATE userSprints SET isCounted = 0 WHERE team = ?1 AND sprintStart = ?2 AND receipt IN (
                    SELECT receipt FROM userSprints
                    WHERE team = ?1 AND sprintStart = ?2 AND isCounted = 1 AND paper IS NULL LIMIT ?3
                )
                """,
                [sprint.team, sprint.start, max(0, -sprint.missing)])
        }
    }

    /// Of plain ballots.
    private static let receiptCount = """
        (SELECT count(*) FROM userSprints AS receipts
        WHERE receipts.team = happiness.team AND receipts.sprintStart = happiness.sprintStart AND isCounted = 1
        AND paper IS NULL)
        """
    private static let isMismatch = "isCleared = 0 AND count - papersSpent <> \(receiptCount)"
}
