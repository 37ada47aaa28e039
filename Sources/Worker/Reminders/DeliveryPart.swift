import Services

/// The part of a batch that is sent at once. After each part, the batch's progress is stored.
struct DeliveryPart: Sendable {
    /// The recipients of a part.
    enum People: Sendable {
        /// The owners of these devices, as read when the part was created.
        case devices([Device])
        /// The members who cannot get a push message.
        case members([User.ID])
        /// The user who requested the delivery.
        case requester

        /// The same without unregistered devices.
        func without(_ gone: Set<Device.ID>) -> Self {
            guard case .devices(let devices) = self else { return self }
            return .devices(devices.filter { !gone.contains($0.id) })
        }
    }

    let people: People
    /// The batch's remaining recipients after this part; `nil` if there are none.
    let rest: DeliveryBatch.Recipients?

    /// Devices per part: with four concurrent jobs, as many requests as one push service gets at once.
    static let deviceCount = 64
    /// Members per part who get a mail. Mails are slower, and duplicates are more annoying.
    static let memberCount = 16
    /// Devices or members per read: those of a batch, unless many were added since it was created.
    private static let pageSize = DeliveryExpansion.batchSize

    /// The next parts of a batch, at least one.
    /// - Parameter post: finds the members who cannot get a push message. The others are in a part too and are checked
    ///   again when it is sent: a part waits for minutes for those before it, and a device may be unregistered by then.
    /// - Throws: `StorageError.unavailable`.
    static func next(
        of recipients: DeliveryBatch.Recipients, team: Team.ID, stores: Stores, post: DeliverySender
    ) async throws -> [Self] {
        switch recipients {
        case .devices(let range):
            let devices = try await stores.devices.list(
                teamID: team, after: range.after, through: range.through, limit: pageSize + 1)
            let slices = slices(of: devices, by: \.id, in: range, limit: pageSize, count: deviceCount) { _ in true }
            return slices.map { Self(people: .devices($0.items), rest: $0.rest.map { .devices($0) }) }
        case .members(let range):
            let members = try await stores.teams.memberIDs(
                of: team, after: range.after, through: range.through, limit: pageSize + 1)
            let unreached = try await post.unreachedByPush(among: Array(members.prefix(pageSize)))
            let slices = slices(
                of: members, by: \.self, in: range, limit: pageSize, count: memberCount, where: unreached.contains)
            return slices.map { Self(people: .members($0.items), rest: $0.rest.map { .members($0) }) }
        case .requester:
            return [Self(people: .requester, rest: nil)]
        }
    }

    /// - Parameters:
    ///   - limit: number of items to split; of those after it only the existence matters.
    ///   - count: number of items per slice for which `counts` returns true.
    private static func slices<Item, Entity>(
        of items: [Item], by id: (Item) -> Identifier<Entity>, in range: IdentifierRange<Entity>, limit: Int,
        count: Int, where counts: (Item) -> Bool
    ) -> [(items: [Item], rest: IdentifierRange<Entity>?)] {
        let page = items.prefix(limit)
        let counted = page.indices.filter { counts(page[$0]) }
        var ends = stride(from: count, through: counted.count, by: count).map { counted[$0 - 1] + 1 }
        if ends.last != page.count { ends.append(page.count) }
        return zip([0] + ends, ends).map { start, end in
            var rest: IdentifierRange<Entity>?
            if end < items.count {
                let bound = Identifier.boundary(between: id(items[end - 1]), and: id(items[end]))
                rest = IdentifierRange(after: bound, through: range.through)
            }
            return (items: Array(items[start..<end]), rest: rest)
        }
    }
}
