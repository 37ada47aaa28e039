package import Domain

/// Who a receipt is for.
package enum ReceiptHolder: Hashable, Sendable {
    /// A user, as long as the account exists.
    case user(User.ID)
    /// The owner of the mailbox of this address.
    case address(String)

    /// The receipt in a sprint.
    package func receipt(in sprint: Sprint.Key, secret: BallotSecret) -> Receipt {
        switch self {
        case .user(let id): Receipt(secret: secret, sprint: sprint, userID: id)
        case .address(let address): Receipt(secret: secret, sprint: sprint, address: address)
        }
    }
}

/// Changes of receipts in a transaction. They change their holder when accounts do: one mailbox has one ballot per
/// sprint.
package protocol ReceiptChanges {
    /// Replaces the receipts of a holder by those of another one, in all sprints that are not cleared. Where both exist,
    /// both stay.
    /// - Parameter teamID: `nil` means every team.
    func moveReceipts(
        from old: ReceiptHolder, to new: ReceiptHolder, in teamID: Team.ID?, secret: BallotSecret) throws

    /// Like `moveReceipts`, but the present ones stay. The added ones stand for no further ballot.
    /// - Parameter isHidden: adds a receipt of nobody in each sprint in which it adds none, so that their number does not
    ///   tell whether the holder has voted.
    func copyReceipts(
        from old: ReceiptHolder, to new: ReceiptHolder, in teamID: Team.ID?, isHidden: Bool, secret: BallotSecret
    ) throws

    /// Adds receipts of votes that another system took, in the order of their bytes. In every sprint that is not cleared
    /// there must be as many counted ones as plain ballots.
    /// - Throws: `StorageError.duplicate` if one exists.
    func insertReceipts(_ receipts: [(receipt: Receipt, isCounted: Bool)]) throws
}
