/// The receipts that the members of a team have or would have in a sprint, by mailbox: members with the same one share
/// a ballot.
package struct MemberReceipts: Sendable {
    private let byMailbox: [String: [Receipt]]

    /// - Parameter members: with their e-mail addresses.
    package init(_ members: [(id: User.ID, email: String)], in sprint: Sprint.Key, secret: BallotSecret) {
        byMailbox = Dictionary(grouping: members) { secret.subaddressing.mailbox(of: $0.email).address }
            .mapValues { sharers in sharers.map { Receipt(secret: secret, sprint: sprint, userID: $0.id) } }
    }

    /// Number of mailboxes.
    package var count: Int { byMailbox.count }

    /// All receipts, in no particular order.
    package var receipts: [Receipt] { byMailbox.values.flatMap { $0 } }

    /// Number of mailboxes with a receipt.
    package func count(among existing: Set<Receipt>) -> Int {
        byMailbox.values.count { receipts in receipts.contains(where: existing.contains) }
    }
}
