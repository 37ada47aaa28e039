import Domain
import Foundation
import Hummingbird
import NIOCore
import Services

/// Invites one person or a list, and manages pending invitations.
struct InvitationController: Sendable {
    let invitations: InvitationService
    let answers: AnswerLanguage

    private struct InviteRequest: Decodable {
        let email: String
        let role: User.Role?
        let team: Team.ID?
        let teamRole: Membership.Role?
        /// Language of the mail; defaults to the inviting user's.
        let locale: MailLocale?
    }

    /// `POST /api/v1/invitations`: 201 for a new invitation, 200 if there was nothing left to do.
    func invite(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let body = try await request.json(as: InviteRequest.self)
        let outcome = try await invitations.invite(
            NewInvitation(
                email: try EmailAddress(body.email), role: body.role ?? .member, teamID: body.team,
                teamRole: body.teamRole ?? .member, locale: body.locale),
            by: caller)
        let response = InviteResponse(outcome)
        return try JSONBody.response(response, status: response.invitation == nil ? .ok : .created)
    }

    /// Bytes of a list: the maximum number of lines, each with the longest address and a long team name.
    static let listLimit = 512 * 1024

    private struct ImportResponse: Encodable {
        let lines: [ImportedLineResponse]
        /// Missing if all columns are used.
        let ignoredColumns: [String]?
    }

    /// `POST /api/v1/invitations/import?validateOnly=`: a list as `text/csv`; returns one result per line.
    func importList(_ request: Request, context: AppRequestContext) async throws -> Response {
        let principal = try context.requirePrincipal()
        guard let contentType = request.headers[.contentType], contentType.isMediaType("text/csv") else {
            throw AppError(.unsupportedMediaType, "Please send text/csv.")
        }
        let buffer = try await request.collectedBody(limit: Self.listLimit)
        let text: String
        do {
            text = try SpreadsheetText.decoded(buffer.readableBytesView)
        } catch {
            throw AppError(.malformed, "Line \(error.line) of the list isn’t in UTF-8.")
        }
        try ControlCharacters.refuse(in: text, field: "list")
        let list = try InvitationCSV(text)
        let reports = try await invitations.importList(
            list, validateOnly: try request.flag("validateOnly"), by: principal.caller)
        let words = await answers.words(for: request, of: principal)
        return try JSONBody.response(
            ImportResponse(
                lines: reports.map { ImportedLineResponse($0, words: words) },
                ignoredColumns: list.ignoredColumns.isEmpty ? nil : list.ignoredColumns),
            in: words)
    }

    private struct ListResponse: Encodable {
        let invitations: [InvitationResponse]
        @ExplicitNull var nextAfter: String?
    }

    private static let pageSize = 200

    /// `GET /api/v1/invitations?team=&after=`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let teamID = try request.query("team").map { text in
            guard let id = Team.ID(text) else { throw AppError.noSuchTeam }
            return id
        }
        let after = try request.query("after", otherwise: "after isn’t the nextAfter of another page.") {
            Invitation.Position($0)
        }
        let page = try await invitations.list(teamID: teamID, after: after, limit: Self.pageSize, by: caller)
        return try JSONBody.response(
            ListResponse(
                invitations: page.map(InvitationResponse.init),
                nextAfter: page.count == Self.pageSize ? page.last.map { Invitation.Position($0).description } : nil))
    }

    /// `POST /api/v1/invitations/{invitation}/resend`
    func resend(_ request: Request, context: AppRequestContext) async throws -> Response {
        let invitation = try await invitations.resend(
            context.pathID("invitation"), by: try context.requirePrincipal().caller)
        return try JSONBody.response(InvitationResponse(invitation))
    }

    /// `DELETE /api/v1/invitations/{invitation}`
    func withdraw(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await invitations.withdraw(context.pathID("invitation"), by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }

    private struct AcceptRequest: Decodable {
        let token: String
        /// Required for a new account, like `password`.
        let username: String?
        let password: String?
        /// Language of the new account; defaults to the invitation's.
        let locale: MailLocale?
    }

    private struct AcceptResponse: Encodable {
        let username: String
        let email: String
    }

    /// `POST /api/v1/invitations/accept`: 201 for a new account, 200 if an existing account joined the team. It does
    /// not log in.
    func accept(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: AcceptRequest.self)
        let accepted = try await invitations.accept(
            token: body.token, name: body.username, password: body.password, language: body.locale)
        return try JSONBody.response(
            AcceptResponse(username: accepted.user.name, email: accepted.user.email),
            status: accepted.isNewAccount ? .created : .ok)
    }
}
