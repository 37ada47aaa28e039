import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Services

/// The caller's account.
struct MeController: Sendable {
    let accounts: AccountService
    let links: PictureLinks
    let catalog: TextCatalog

    /// `GET /api/v1/me`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let user = try await accounts.account(of: try context.requirePrincipal())
        return try JSONBody.response(MeResponse(user, links: links))
    }

    private struct ChangeRequest: Decodable {
        let name: String?
        /// Blank text removes it.
        let displayName: String?
        let locale: String?
        let notifications: NotificationChange?
        /// A team's id; text that is not an id is treated as an unknown team.
        let defaultTeam: String?
    }

    /// `PATCH /api/v1/me`: changes only the fields in the body.
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let body = try await request.json(as: ChangeRequest.self)
        let change = AccountChange(
            name: body.name, displayName: body.displayName, locale: body.locale, notifications: body.notifications,
            defaultTeamID: body.defaultTeam.map { Team.ID($0) ?? .random() })
        return try JSONBody.response(MeResponse(try await accounts.change(change, by: caller), links: links))
    }

    /// `GET /api/v1/me/export`: a file with everything stored about the caller.
    func export(_ request: Request, context: AppRequestContext) async throws -> Response {
        let export = try await accounts.export(
            by: try context.requirePrincipal(), texts: catalog.texts, pictures: links)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        // Pretty-printed, since people open the file in a browser or an editor.
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Response(
            status: .ok,
            headers: [
                .contentType: JSONBody.mediaType, .cacheControl: "no-store",
                .contentDisposition: #"attachment; filename="happiness-metric-export.json""#,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try encoder.encode(export))))
    }

    private struct DeletionRequest: Decodable {
        /// Required unless the account has no password.
        let password: String?
    }

    /// `DELETE /api/v1/me`
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let body = try await request.json(as: DeletionRequest.self)
        try await accounts.delete(caller, proof: .password(body.password))
        return Response(status: .noContent)
    }
}

/// An account as its owner sees it.
private struct MeResponse: Encodable {
    let id: String
    let name: String
    /// Missing if others see `name`.
    let displayName: String?
    let email: String
    /// A new address that is not confirmed yet; missing if there is none.
    let pendingEmail: String?
    /// Missing if nothing is known against the address.
    let addressFault: AddressFaultResponse?
    /// The day on which an administrator last set the address; missing if none ever did.
    let emailSetOn: String?
    /// Whether somebody else set the password, so that the user should choose another one.
    let passwordIsHandedOut: Bool
    let role: User.Role
    let locale: String
    let notifications: NotificationSettings
    /// Missing if the user is not in a team.
    let defaultTeam: String?
    let picture: PictureResponse
    /// A day.
    let createdOn: String

    init(_ user: User, links: PictureLinks) {
        id = user.id.description
        name = user.name
        displayName = user.displayName
        email = user.email
        pendingEmail = user.pendingEmail
        addressFault = user.addressFault.map(AddressFaultResponse.init)
        emailSetOn = user.emailSetOn?.description
        passwordIsHandedOut = user.passwordIsHandedOut
        role = user.role
        locale = user.language.locale.rawValue
        notifications = user.notifications
        defaultTeam = user.defaultTeamID?.description
        picture = PictureResponse(of: user, links: links)
        createdOn = user.createdOn.description
    }
}
