/// A part of a delivery that one worker sends, with its progress.
package struct DeliveryBatch: Hashable, Sendable {
    /// The remaining recipients.
    package enum Recipients: Hashable, Sendable {
        /// The owners of these devices, by push message.
        case devices(IdentifierRange<Device>)
        /// The members who cannot be reached by push message, by mail.
        case members(IdentifierRange<User>)
        /// The user who requested the delivery, by push message or mail.
        case requester
    }

    /// Identifies a batch.
    package struct Key: Hashable, Sendable, Codable {
        /// The delivery it belongs to.
        package let deliveryID: Delivery.ID
        /// Starts at 0.
        package let number: Int

        /// Names a batch of a delivery.
        package init(deliveryID: Delivery.ID, number: Int) {
            self.deliveryID = deliveryID
            self.number = number
        }
    }

    /// Delivery and number.
    package let key: Key
    /// The remaining recipients: those before the range were served, or abandoned.
    package var recipients: Recipients
    /// The outcomes so far, unreadable without the ballot secret: see `DeliveryCounts`.
    package var sealedCounts: SealedCounts
    /// In a batch by mail, the members before the range whose mail is not settled yet; `nil` if there were none so far.
    package var sealedPending: SealedPending?
    /// Whether no recipient remains.
    package var isDone: Bool

    /// Whether it serves members who cannot be reached by push message.
    package var isByMail: Bool {
        switch recipients {
        case .members: true
        case .devices, .requester: false
        }
    }

    /// Whether the decision to mail this member is still to come.
    package func isAhead(of userID: User.ID) -> Bool {
        guard case .members(let range) = recipients else { return false }
        return !isDone && range.contains(userID)
    }

    /// Creates a batch as a store keeps it.
    package init(
        key: Key, recipients: Recipients, sealedCounts: SealedCounts, sealedPending: SealedPending? = nil,
        isDone: Bool = false
    ) {
        self.key = key
        self.recipients = recipients
        self.sealedCounts = sealedCounts
        self.sealedPending = sealedPending
        self.isDone = isDone
    }
}

extension DeliveryBatch.Recipients {
    /// Whether a range of members is empty: the mail of each was begun.
    package var isExhausted: Bool {
        guard case .members(let range) = self else { return false }
        return range.after != nil && range.after == range.through
    }

    /// The end of a range of members, which contains none; other recipients as they are.
    package var exhausted: Self {
        guard case .members(let range) = self else { return self }
        let end = range.through ?? User.ID(String(repeating: "f", count: 32))
        return .members(IdentifierRange(after: end, through: end))
    }
}
