import Domain
import Hummingbird
import Services

/// One person's account, for administrators.
struct AdminUserPageController: Sendable {
    let forms: AdminForms
    let people: UserAdministrationService

    /// `GET /admin/people/{user}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0, of: context.userID) }
    }

    private struct RoleForm: Decodable {
        let role: User.Role
        /// The role that the page showed.
        let seen: User.Role
    }

    /// `POST /admin/people/{user}/role`
    func changeRole(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await submit(RoleForm.self, request, context) { id, form, visit in
            _ = try await people.change(id, UserChange(role: form.role), seen: form.seen, by: visit.principal)
            return .role
        }
    }

    private struct EmailForm: Decodable {
        let email: String
        /// The address that the page showed.
        let seen: String
        /// The administrator's own.
        let password: String?
    }

    /// `POST /admin/people/{user}/email`
    func changeEmail(_ request: Request, context: AppRequestContext) async throws -> Response {
        let id = context.userID
        var typed: String?
        return try await forms.submit(EmailForm.self, request, context) {
            try await page($0, of: id, typedEmail: typed)
        } response: { form, visit in
            typed = form.email
            let address: EmailAddress
            do throws(AppError) {
                address = try EmailAddress(form.email)
            } catch {
                throw FormProblem(visit.words.text("forgotten.notAnAddress"), at: "email")
            }
            _ = try await people.change(
                id, UserChange(email: address), seenEmail: form.seen, password: form.password, by: visit.principal)
            return .seeOther(.adminPerson(id).adding("done", AdminNotice.email.addressName))
        }
    }

    private struct DisabledForm: Decodable {
        let disabled: Bool
    }

    /// `POST /admin/people/{user}/disabled`
    func changeDisabled(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await submit(DisabledForm.self, request, context) { id, form, visit in
            _ = try await people.change(id, UserChange(isDisabled: form.disabled), by: visit.principal)
            return form.disabled ? .disabled : .enabled
        }
    }

    /// `POST /admin/people/{user}/end-sessions`
    func endSessions(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await submit(NoFields.self, request, context) { id, _, visit in
            try await people.endSessions(of: id, by: visit.principal.caller)
            return .sessionsEnded
        }
    }

    /// `POST /admin/people/{user}/password-reset`
    func resetPassword(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await submit(NoFields.self, request, context) { id, _, visit in
            try await people.sendPasswordReset(to: id, by: visit.principal.caller)
            return .passwordMail
        }
    }

    /// `POST /admin/people/{user}/mail-again`
    func mailAgain(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await submit(NoFields.self, request, context) { id, _, visit in
            try await people.liftAddressFault(of: id, by: visit.principal.caller)
            return .mailAgain
        }
    }

    /// `GET /admin/people/{user}/delete`: asks for confirmation. Changes nothing.
    func askToDelete(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await deletionPage($0, of: context.userID) }
    }

    /// `POST /admin/people/{user}/delete`
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        let id = context.userID
        return try await forms.submit(NoFields.self, request, context, then: .deleted) {
            try await deletionPage($0, of: id)
        } _: { _, visit in
            do {
                try await people.delete(id, by: visit.principal.caller)
            } catch let error as AppError where error.code == .conflict {
                throw Self.problem(error, words: visit.words)
            }
        }
    }

    /// Handles a form and returns to the person's page.
    private func submit<Fields: Decodable>(
        _ type: Fields.Type, _ request: Request, _ context: AppRequestContext,
        _ change: (User.ID, Fields, PageVisit) async throws -> AdminNotice
    ) async throws -> Response {
        let id = context.userID
        return try await forms.submit(type, request, context) {
            try await page($0, of: id)
        } response: { form, visit in
            do {
                let notice = try await change(id, form, visit)
                return .seeOther(.adminPerson(id).adding("done", notice.addressName))
            } catch let error as AppError where error.code == .conflict {
                throw Self.problem(error, words: visit.words)
            }
        }
    }

    /// Replaces the texts about the last administrator and the last lead, which otherwise address the reader.
    private static func problem(_ error: AppError, words: LocalizedTexts) -> any Error {
        switch error.reason {
        case .lastAdmin: FormProblem(words.text("adminPeople.lastAdmin"))
        case .lastLead: FormProblem(words.text("adminPeople.lastLead"))
        default: error
        }
    }

    /// - Parameter typedEmail: the address as typed before.
    private func page(
        _ visit: PageVisit, of id: User.ID, typedEmail: String? = nil
    ) async throws -> AdminUserPage {
        AdminUserPage(
            try await people.person(id, by: visit.principal.caller), typedEmail: typedEmail, visit: visit)
    }

    private func deletionPage(_ visit: PageVisit, of id: User.ID) async throws -> AdminUserDeletionPage {
        let user = try await people.person(id, by: visit.principal.caller).user
        return AdminUserDeletionPage(
            navigation: AdministrationNavigation(at: .people, words: visit.words), address: .adminPerson(id),
            name: user.shownName, email: user.email, isSelf: id == visit.principal.userID, problem: visit.problem)
    }
}

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

    init(_ person: Person, typedEmail: String? = nil, visit: PageVisit) {
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
            Place(
                address: .management(of: $0.team.id), name: $0.team.name,
                role: $0.role.label(visit.words))
        }
        isInNoTeam = teams.isEmpty
        roles = FormOption.roles(visit.words, chosen: user.role)
        isSelf = user.id == visit.principal.userID
        done = visit.done
        problem = visit.problem
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
