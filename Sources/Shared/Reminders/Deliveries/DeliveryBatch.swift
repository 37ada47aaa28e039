/// A part of a delivery that one worker sends, with how far it has got.
public struct DeliveryBatch: Hashable, Sendable {
    /// Who is still to be served.
    public enum Recipients: Hashable, Sendable {
        /// By message, the owners of these devices.
        case devices(IdentifierRange<Device>)
        /// By mail, those of these members whom no message reaches.
        case members(IdentifierRange<User>)
        /// Whoever asked for the delivery, by message or mail.
        case requester
    }

    /// A batch's identity.
    public struct Key: Hashable, Sendable, Codable {
        /// The delivery it is a part of.
        public let deliveryID: Delivery.ID
        /// From 0 on.
        public let number: Int

        /// A delivery's batch of that number.
        public init(deliveryID: Delivery.ID, number: Int) {
            self.deliveryID = deliveryID
            self.number = number
        }
    }

    /// The batch's identity.
    public let key: Key
    /// Who is still to be served: what comes before the range has been, or was given up.
    public var recipients: Recipients
    /// How many were served so far, unreadable without the ballot secret: see `DeliveryCounts`.
    public var sealedCounts: SealedCounts
    /// Whether nobody is left.
    public var isDone: Bool

    /// Whether it is for those whom no message reaches.
    public var isByMail: Bool {
        switch recipients {
        case .members: true
        case .devices, .requester: false
        }
    }

    /// Whether it has yet to decide if this member gets the mail.
    public func isAhead(of userID: User.ID) -> Bool {
        guard case .members(let range) = recipients else { return false }
        return !isDone && range.contains(userID)
    }

    /// A batch as a store keeps it.
    public init(key: Key, recipients: Recipients, sealedCounts: SealedCounts, isDone: Bool = false) {
        self.key = key
        self.recipients = recipients
        self.sealedCounts = sealedCounts
        self.isDone = isDone
    }
}
