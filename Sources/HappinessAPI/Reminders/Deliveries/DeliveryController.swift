import Domain
import Hummingbird
import Services

/// Messages to teams, and the outcome of deliveries, for leads and administrators.
struct DeliveryController: Sendable {
    let deliveries: DeliveryService

    private struct MessageRequest: Decodable {
        let title: String
        let body: String
    }

    /// `POST /api/v1/teams/{team}/messages`
    func sendMessage(_ request: Request, context: AppRequestContext) async throws -> Response {
        let sender = try context.requirePrincipal()
        let teamID = try context.teamID()
        let message = try await request.json(as: MessageRequest.self)
        let delivery = try await deliveries.send(title: message.title, body: message.body, to: teamID, by: sender)
        return try JSONBody.response(DeliveryResponse(delivery, counts: DeliveryCounts()), status: .accepted)
    }

    /// `POST /api/v1/teams/{team}/reminders/test`
    func testReminder(_ request: Request, context: AppRequestContext) async throws -> Response {
        let delivery = try await deliveries.testReminder(of: try context.teamID(), by: try context.requirePrincipal())
        return try JSONBody.response(DeliveryResponse(delivery, counts: DeliveryCounts()), status: .accepted)
    }

    /// `GET /api/v1/teams/{team}/deliveries?after=`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let manager = try context.requirePrincipal()
        let page = try await deliveries.list(
            of: try context.teamID(), after: try request.deliveryPosition(), by: manager)
        return try JSONBody.response(DeliveryListResponse(page))
    }

    /// `GET /api/v1/deliveries?after=`
    func listAll(_ request: Request, context: AppRequestContext) async throws -> Response {
        let admin = try context.requirePrincipal()
        let page = try await deliveries.listAll(after: try request.deliveryPosition(), by: admin)
        return try JSONBody.response(DeliveryListResponse(page))
    }
}

extension Request {
    /// The position where the previous page ended.
    /// - Throws: `AppError.malformed`.
    fileprivate func deliveryPosition() throws -> Delivery.Position? {
        try query("after", otherwise: "after must be the nextAfter of an earlier response.") { Delivery.Position($0) }
    }
}
