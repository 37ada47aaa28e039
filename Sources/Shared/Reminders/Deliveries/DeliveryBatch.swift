/// A part of a delivery that one worker sends, with its progress.
public struct DeliveryBatch: Hashable, Sendable {
    /// The remaining recipients.
    public enum Recipients: Hashable, Sendable {
        /// The owners of these devices, by push message.
        case devices(IdentifierRange<Device>)
        /// Those of these members who cannot be reached by push message, by mail.
        case members(IdentifierRange<User>)
        /// The user who requested the delivery, by push message or mail.
        case requester
    }

    /// Identifies a batch.
    public struct Key: Hashable, Sendable, Codable {
        /// The delivery it belongs to.
        public let deliveryID: Delivery.ID
        /// Starts at 0.
        public let number: Int

        /// Names a batch of a delivery.
        public init(deliveryID: Delivery.ID, number: Int) {
            self.deliveryID = deliveryID
            self.number = number
        }
    }

    /// Delivery and number.
    public let key: Key
    /// The remaining recipients: those before the range were served, or abandoned.
    public var recipients: Recipients
    /// The outcomes so far, unreadable without the ballot secret: see `DeliveryCounts`.
    public var sealedCounts: SealedCounts
    /// Whether no recipient remains.
    public var isDone: Bool

    /// Whether it serves members who cannot be reached by push message.
    public var isByMail: Bool {
        switch recipients {
        case .members: true
        case .devices, .requester: false
        }
    }

    /// Whether the decision to mail this member is still to come.
    public func isAhead(of userID: User.ID) -> Bool {
        guard case .members(let range) = recipients else { return false }
        return !isDone && range.contains(userID)
    }

    /// Creates a batch as a store keeps it.
    public init(key: Key, recipients: Recipients, sealedCounts: SealedCounts, isDone: Bool = false) {
        self.key = key
        self.recipients = recipients
        self.sealedCounts = sealedCounts
        self.isDone = isDone
    }
}
