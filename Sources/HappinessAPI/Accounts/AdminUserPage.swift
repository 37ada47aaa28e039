import Domain
import Services

/// A person's account and what administrators can do with it.
struct AdminUserPage: Page {
    static let template = "admin-person"

    let navigation: AdministrationNavigation
    /// Path of this page; the paths of its forms start with it.
    let address: SitePath
    let name: String
    /// The name for the login.
    let userName: String
    /// The present address; sent back by the form that changes it.
    let email: String
    /// Says that mails to the address do not arrive, why and since when; `nil` if nothing is known against it.
    let addressFault: String?
    /// Says when an administrator last set it.
    let emailSetOn: String?
    /// What the form for another address contains.
    let typedEmail: String
    /// False for viewers who log in through a provider: they must have logged in recently instead.
    let hasPassword: Bool
    let role: String
    /// The role shown; sent back by the form that changes it.
    let seenRole: String
    let isDisabled: Bool
    let since: String
    let teams: [Place]
    let isInNoTeam: Bool
    /// Path of the form that invites them.
    let invite: SitePath
    let roles: [FormOption]
    /// Whether it is the viewer's own account, which they change in the settings.
    let isSelf: Bool
    let done: String?
    let problem: FormProblem?

    /// A person's membership in one team.
    struct Place: Sendable {
        /// Path of the team's management.
        let address: SitePath
        let name: String
        let role: String
    }

    /// - Parameters:
    ///   - typedRole: the role chosen before; `nil` if the form for another role was not sent.
    ///   - typedEmail: the address as typed before.
    init(_ person: Person, typedRole: User.Role? = nil, typedEmail: String? = nil, visit: PageVisit) {
        let user = person.user
        navigation = AdministrationNavigation(at: .people, words: visit.words)
        address = .adminPerson(user.id)
        name = user.shownName
        userName = user.name
        email = user.email
        addressFault = user.addressFault.map { $0.text(visit.words, in: visit.frame.language) }
        emailSetOn = user.emailSetOn.map {
            visit.words.text("adminPeople.emailSetOn", ["day": $0.text(in: visit.frame.language)])
        }
        self.typedEmail = typedEmail ?? user.email
        hasPassword = visit.user.passwordHash != nil
        role = user.role.label(visit.words)
        seenRole = user.role.rawValue
        isDisabled = user.isDisabled
        since = user.createdOn.text(in: visit.frame.language)
        teams = person.places.map {
            Place(address: .management(of: $0.team.id), name: $0.team.name, role: $0.role.label(visit.words))
        }
        isInNoTeam = teams.isEmpty
        invite = SitePath.newInvitation.adding("email", user.email)
        roles = FormOption.roles(visit.words, chosen: typedRole ?? user.role)
        isSelf = user.id == visit.principal.userID
        done = visit.done
        // Two forms have a field for a password.
        problem =
            typedRole == nil
            ? visit.problem
            : visit.problem.map { FormProblem($0.text, at: $0.field == "current" ? "rolePassword" : $0.field) }
    }
}

/// Asks for confirmation before an account is deleted.
struct AdminUserDeletionPage: Page {
    static let template = "admin-person-delete"

    let navigation: AdministrationNavigation
    /// Path of the person's page.
    let address: SitePath
    let name: String
    let email: String
    /// Whether it is the viewer's own account, which they delete in the settings.
    let isSelf: Bool
    let problem: FormProblem?
}
