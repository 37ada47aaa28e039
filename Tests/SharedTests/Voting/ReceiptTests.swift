import Crypto
import Domain
import Foundation
import TestSupport
import Testing

/// The content of a receipt, and who can read it.
@Suite struct ReceiptTests {
    private let sprint = Sprint.Key(teamID: .random(), start: TestTeam.firstMonday)
    private let userID = User.ID.random()

    @Test func `One vote has one receipt`() {
        let first = Receipt(secret: TestTeam.secret, sprint: sprint, userID: userID)
        #expect(first == Receipt(secret: TestTeam.secret, sprint: sprint, userID: userID))
        #expect(first.bytes.count == 32)
    }

    /// The formula on which other programs (an import, an audit) rely.
    @Test func `A receipt is the keyed hash of team, start and user`() {
        let message = "\(sprint.teamID)|1767571200|\(userID)"
        let expected = HMAC<SHA256>.authenticationCode(for: Data(message.utf8), using: TestTeam.secret.key)
        #expect(Receipt(secret: TestTeam.secret, sprint: sprint, userID: userID).bytes == Array(expected))
    }

    @Test func `Another user, team, sprint or secret gives another receipt`() {
        let next = Sprint.Key(teamID: sprint.teamID, start: sprint.start + 14 * TestTeam.day)
        let otherTeam = Sprint.Key(teamID: .random(), start: sprint.start)
        let otherSecret = BallotSecret(key: SymmetricKey(size: .bits256))
        let receipts: Set<Receipt> = [
            Receipt(secret: TestTeam.secret, sprint: sprint, userID: userID),
            Receipt(secret: TestTeam.secret, sprint: sprint, userID: .random()),
            Receipt(secret: TestTeam.secret, sprint: next, userID: userID),
            Receipt(secret: TestTeam.secret, sprint: otherTeam, userID: userID),
            Receipt(secret: otherSecret, sprint: sprint, userID: userID),
        ]
        #expect(receipts.count == 5)
    }
}
