import Shared

/// A pending invitation, as those who manage it see it.
struct InvitationResponse: Encodable {
    let id: String
    let email: String
    let role: User.Role
    let team: String?
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

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(email, forKey: .email)
        try container.encode(role, forKey: .role)
        try container.encode(team, forKey: .team)
        try container.encode(teamRole, forKey: .teamRole)
        try container.encode(locale, forKey: .locale)
        try container.encode(sent, forKey: .sent)
    }

    private enum CodingKeys: CodingKey {
        case id, email, role, team, teamRole, locale, sent
    }
}

/// The outcome of inviting one person.
struct InviteResponse: Encodable {
    let outcome: String
    let invitation: InvitationResponse?

    init(_ outcome: InvitationOutcome) {
        self.outcome = outcome.word
        switch outcome {
        case .invited(let invitation): self.invitation = InvitationResponse(invitation)
        case .alreadyAMember, .alreadyAUser: invitation = nil
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(invitation, forKey: .invitation)
    }

    private enum CodingKeys: CodingKey {
        case outcome, invitation
    }
}

/// The outcome of one line of a list.
struct LineResponse: Encodable {
    let line: Int
    let email: String
    let outcome: String
    /// Why it was refused: the last part of a problem document's `type`.
    let reason: String?
    /// The reason in English.
    let detail: String?

    init(_ report: InvitationLineReport) {
        line = report.number
        email = report.email
        switch report.result {
        case .success(let outcome):
            self.outcome = outcome.word
            reason = nil
            detail = nil
        case .failure(let error):
            outcome = error.reason == "already-invited" ? "already-invited" : "refused"
            reason = error.reason
            detail = error.message
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(line, forKey: .line)
        try container.encode(email, forKey: .email)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(reason, forKey: .reason)
        try container.encode(detail, forKey: .detail)
    }

    private enum CodingKeys: CodingKey {
        case line, email, outcome, reason, detail
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
