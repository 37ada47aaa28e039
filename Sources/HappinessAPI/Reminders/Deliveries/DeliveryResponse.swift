import Foundation
import Shared

/// A page of deliveries.
struct DeliveryListResponse: Encodable {
    let deliveries: [DeliveryResponse]
    let nextAfter: String?

    init(_ page: [DeliveryReport]) {
        deliveries = page.map { DeliveryResponse($0.delivery, counts: $0.counts) }
        nextAfter = page.count == DeliveryService.pageSize ? page.last?.delivery.position.description : nil
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(deliveries, forKey: .deliveries)
        try container.encode(nextAfter, forKey: .nextAfter)
    }

    private enum CodingKeys: CodingKey {
        case deliveries, nextAfter
    }
}

/// A delivery as leads and administrators see it.
struct DeliveryResponse: Encodable {
    let id: String
    let team: String
    let sprintStart: Date
    let kind: Delivery.Kind
    /// In the team's time zone.
    let day: String
    let state: Delivery.State
    let reason: Delivery.Trouble?
    /// Title of a message; missing for a reminder.
    let title: String?
    /// Body of a message; missing for a reminder.
    let body: String?
    /// Null for a reminder until its sprint is closed, and permanently if fewer than k voted or an earlier day already
    /// shows them.
    let counts: DeliveryCounts?

    init(_ delivery: Delivery, counts: DeliveryCounts?) {
        id = delivery.id.description
        team = delivery.occasion.sprint.teamID.description
        sprintStart = delivery.occasion.sprint.start
        kind = delivery.occasion.kind
        day = delivery.occasion.day.description
        state = delivery.state
        reason = delivery.trouble
        title = delivery.text?.title
        body = delivery.text?.body
        self.counts = counts
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(team, forKey: .team)
        try container.encode(sprintStart, forKey: .sprintStart)
        try container.encode(kind, forKey: .kind)
        try container.encode(day, forKey: .day)
        try container.encode(state, forKey: .state)
        try container.encode(reason, forKey: .reason)
        try container.encode(title, forKey: .title)
        try container.encode(body, forKey: .body)
        try container.encode(counts, forKey: .counts)
    }

    private enum CodingKeys: CodingKey {
        case id, team, sprintStart, kind, day, state, reason, title, body, counts
    }
}
