import Domain
import Foundation
import Services

/// A page of deliveries.
struct DeliveryListResponse: Encodable {
    let deliveries: [DeliveryResponse]
    @ExplicitNull var nextAfter: String?

    init(_ page: [DeliveryReport]) {
        deliveries = page.map { DeliveryResponse($0.delivery, counts: $0.counts) }
        nextAfter = page.count == DeliveryService.pageSize ? page.last?.delivery.position.description : nil
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
    @ExplicitNull var reason: Delivery.Trouble?
    /// Title of a message; missing for a reminder.
    @ExplicitNull var title: String?
    /// Body of a message; missing for a reminder.
    @ExplicitNull var body: String?
    /// Null for a reminder until its sprint is closed, and permanently if fewer than k voted or an earlier day already
    /// shows them.
    @ExplicitNull var counts: DeliveryCounts?

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
}
