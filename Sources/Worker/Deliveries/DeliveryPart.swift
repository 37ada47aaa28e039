import Shared

/// So many people of a batch as are served at once; then the batch's progress is noted.
struct DeliveryPart: Sendable {
    /// Who is to be served.
    enum People: Sendable {
        /// The owners of these devices.
        case devices([Device])
        /// Those of these members whom no message reaches.
        case members([User.ID])
        /// Whoever asked for the delivery.
        case requester
    }

    let people: People
    /// Who is left in the batch after these; `nil` for nobody.
    let rest: DeliveryBatch.Recipients?

    /// Devices of a part: with four jobs at a time as many as one service is sent at once.
    static let deviceCount = 64
    /// Members of a part. Mails are slower and repeated ones more of a nuisance.
    static let memberCount = 16
    /// Devices or members read at once: a batch's, unless many were added since it was made.
    private static let pageSize = DeliveryExpansion.batchSize

    /// The next parts of a batch, at least one.
    /// - Parameter post: knows whom no message reaches. Where everybody has a device, a batch of members is one empty part.
    /// - Throws: `AppError.storeUnavailable`.
    static func next(
        of recipients: DeliveryBatch.Recipients, team: Team.ID, stores: Stores, post: DeliveryPost
    ) async throws -> [Self] {
        switch recipients {
        case .devices(let range):
            let devices = try await stores.devices.list(
                teamID: team, after: range.after, through: range.through, limit: pageSize + 1)
            let slices = slices(of: devices, by: \.id, in: range, count: deviceCount, limit: pageSize)
            return slices.map { Self(people: .devices($0.items), rest: $0.rest.map { .devices($0) }) }
        case .members(let range):
            let members = try await stores.teams.memberIDs(
                of: team, after: range.after, through: range.through, limit: pageSize + 1)
            let behind = members.dropFirst(pageSize)
            let unreached = try await post.unreachedByPush(among: Array(members.prefix(pageSize)))
            guard !unreached.isEmpty else {
                let rest = behind.first.map { first in
                    let bound = Identifier.boundary(between: members[pageSize - 1], and: first)
                    return DeliveryBatch.Recipients.members(IdentifierRange(after: bound, through: range.through))
                }
                return [Self(people: .members([]), rest: rest)]
            }
            let slices = slices(
                of: unreached + behind, by: \.self, in: range, count: memberCount, limit: unreached.count)
            return slices.map { Self(people: .members($0.items), rest: $0.rest.map { .members($0) }) }
        case .requester:
            return [Self(people: .requester, rest: nil)]
        }
    }

    /// - Parameter limit: items to cut up; those behind it are only known to be there.
    private static func slices<Item, Entity>(
        of items: [Item], by id: (Item) -> Identifier<Entity>, in range: IdentifierRange<Entity>, count: Int,
        limit: Int
    ) -> [(items: [Item], rest: IdentifierRange<Entity>?)] {
        let end = min(items.count, limit)
        let slices = stride(from: 0, to: end, by: count).map { start in
            let next = min(start + count, end)
            var rest: IdentifierRange<Entity>?
            if next < items.count {
                let bound = Identifier.boundary(between: id(items[next - 1]), and: id(items[next]))
                rest = IdentifierRange(after: bound, through: range.through)
            }
            return (items: Array(items[start..<next]), rest: rest)
        }
        return slices.isEmpty ? [(items: [], rest: nil)] : slices
    }
}
