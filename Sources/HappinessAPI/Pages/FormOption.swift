import Domain

/// An option of a form field.
struct FormOption: Sendable {
    let value: String
    let label: String
    let isChosen: Bool
    /// The language of the label, unless it is the page's.
    let code: String?

    init(_ value: String, _ label: String, isChosen: Bool, code: String? = nil) {
        self.value = value
        self.label = label
        self.isChosen = isChosen
        self.code = code
    }

    /// Roles in the installation, in ascending order of rights.
    static func roles(_ words: LocalizedTexts, chosen: User.Role) -> [FormOption] {
        [User.Role.member, .guest, .admin].map {
            FormOption($0.rawValue, $0.label(words), isChosen: $0 == chosen)
        }
    }

    /// Roles in a team.
    static func teamRoles(_ words: LocalizedTexts, chosen: Membership.Role) -> [FormOption] {
        [Membership.Role.member, .lead].map {
            FormOption($0.rawValue, $0.label(words), isChosen: $0 == chosen)
        }
    }
}

extension User.Role {
    /// In the page's language.
    func label(_ words: LocalizedTexts) -> String {
        switch self {
        case .admin: words.text("admin.roleAdmin")
        case .member: words.text("admin.roleMember")
        case .guest: words.text("admin.roleGuest")
        }
    }
}

extension Membership.Role {
    /// In the page's language.
    func label(_ words: LocalizedTexts) -> String {
        switch self {
        case .lead: words.text("admin.teamLead")
        case .member: words.text("admin.teamMember")
        }
    }
}
