import Domain
import Services

/// A pending invitation, as those who manage it see it.
struct InvitationResponse: Encodable {
    let id: String
    let email: String
    let role: User.Role
    @ExplicitNull var team: String?
    let teamRole: Membership.Role
    let locale: String
    /// The day of the latest mail, in UTC.
    let sent: String

    init(_ invitation: Invitation) {
        id = invitation.id.description
        email = invitation.email
        role = invitation.role
        team = invitation.teamID?.description
        teamRole = invitation.teamRole
        locale = invitation.locale
        sent = invitation.sent.description
    }
}

/// The outcome of inviting one person.
struct InviteResponse: Encodable {
    let outcome: String
    @ExplicitNull var invitation: InvitationResponse?

    init(_ outcome: InvitationOutcome) {
        self.outcome = outcome.word
        switch outcome {
        case .invited(let invitation): self.invitation = InvitationResponse(invitation)
        case .alreadyAMember, .alreadyAUser: invitation = nil
        }
    }
}

/// The outcome of one line of a list.
struct ImportedLineResponse: Encodable {
    let line: Int
    let email: String
    let outcome: String
    /// Why it was rejected: the last part of a problem document's `type`.
    @ExplicitNull var reason: String?
    /// The reason in words.
    @ExplicitNull var detail: String?

    init(_ report: InvitationLineReport, words: LocalizedTexts) {
        line = report.number
        email = report.email
        switch report.result {
        case .success(let outcome):
            self.outcome = outcome.word
            reason = nil
            detail = nil
        case .failure(let error):
            outcome = error.reason == .alreadyInvited ? "already-invited" : "refused"
            reason = error.reason.rawValue
            detail = words.text(for: error.sentence)
        }
    }
}

extension InvitationOutcome {
    /// The value in JSON.
    fileprivate var word: String {
        switch self {
        case .invited: "invited"
        case .alreadyAMember: "already-a-member"
        case .alreadyAUser: "already-a-user"
        }
    }
}
