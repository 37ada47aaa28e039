import Shared

/// So many people of a batch as are served at once; then the batch's progress is noted.
struct DeliveryPart: Sendable {
    /// Who is to be served.
    enum People: Sendable {
        /// The owners of these devices, as they were when the part was made.
        case devices([Device])
        /// Those of these members whom no message reaches.
        case members([User.ID])
        /// Whoever asked for the delivery.
        case requester

        /// The same without devices that are gone.
        func without(_ gone: Set<Device.ID>) -> Self {
            guard case .devices(let devices) = self else { return self }
            return .devices(devices.filter { !gone.contains($0.id) })
        }
    }

    let people: People
    /// Who is left in the batch after these; `nil` for nobody.
    let rest: DeliveryBatch.Recipients?

    /// Devices of a part: with four jobs at a time as many as one service is sent at once.
    static let deviceCount = 64
    /// Members of a part whom no message reaches. Mails are slower and repeated ones more of a nuisance.
    static let memberCount = 16
    /// Devices or members read at once: a batch's, unless many were added since it was made.
    private static let pageSize = DeliveryExpansion.batchSize

    /// The next parts of a batch, at least one.
    /// - Parameter post: knows whom no message reaches. Members whom one does are in a part too, for they are looked at again
    ///   when it is served: a part waits for those before it, for minutes, and a device may be gone by then.
    /// - Throws: `AppError.storeUnavailable`.
    static func next(
        of recipients: DeliveryBatch.Recipients, team: Team.ID, stores: Stores, post: DeliveryPost
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
    ///   - limit: items to cut up; those behind it are only known to be there.
    ///   - count: of those in a slice that count.
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
