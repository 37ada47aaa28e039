import Domain
import Foundation
import GRDB

extension Database: ReceiptChanges {
    func moveReceipts(
        from old: ReceiptHolder, to new: ReceiptHolder, in teamID: Team.ID?, secret: BallotSecret
    ) throws {
        for sprint in try unclearedSprints(of: teamID) {
            let receipt = old.receipt(in: sprint, secret: secret)
            try rename(receipt, to: new.receipt(in: sprint, secret: secret))
        }
    }

    func copyReceipts(
        from old: ReceiptHolder, to new: ReceiptHolder, in teamID: Team.ID?, isHidden: Bool, secret: BallotSecret
    ) throws {
        for sprint in try unclearedSprints(of: teamID) {
            let copy = new.receipt(in: sprint, secret: secret)
            if try contains(old.receipt(in: sprint, secret: secret)), try !contains(copy) {
                try insertReceipts([(receipt: copy, isCounted: false)])
            } else if isHidden {
                let other = ReceiptHolder.user(.random()).receipt(in: sprint, secret: secret)
                try insertReceipts([(receipt: other, isCounted: false)])
            }
        }
    }

    func insertReceipts(_ receipts: [(receipt: Receipt, isCounted: Bool)]) throws {
        for (receipt, isCounted) in receipts.sorted(by: { $0.receipt.precedes($1.receipt) }) {
            try change(
                "INSERT INTO userSprints (team, sprintStart, receipt, isCounted) VALUES (?, ?, ?, ?)",
                receipt.arguments + [isCounted])
        }
    }

    /// Whether the receipt exists.
    func contains(_ receipt: Receipt) throws -> Bool {
        try contains(
            "SELECT 1 FROM userSprints WHERE team = ? AND sprintStart = ? AND receipt = ?", receipt.arguments)
    }

    /// Leaves both unchanged if both exist.
    private func rename(_ old: Receipt, to new: Receipt) throws {
        try change(
            "UPDATE OR IGNORE userSprints SET receipt = ? WHERE team = ? AND sprintStart = ? AND receipt = ?",
            [Data(new.bytes)] + old.arguments)
    }

    private func unclearedSprints(of teamID: Team.ID?) throws -> [Sprint.Key] {
        let (condition, arguments): (String, SQLiteArguments) =
            if let teamID { ("AND team = ?", [teamID.description]) } else { ("", []) }
        return try rows(
            "SELECT team, sprintStart FROM happiness WHERE isCleared = 0 \(condition)", arguments
        ) { Sprint.Key(teamID: try $0.parsed(), start: $0.second()) }
    }
}

extension Receipt {
    /// The key in `userSprints`: team, start, receipt.
    var arguments: SQLiteArguments {
        [sprint.teamID.description, sprint.start.seconds, Data(bytes)]
    }
}
