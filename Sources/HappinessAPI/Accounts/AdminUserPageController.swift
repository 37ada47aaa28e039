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
        /// The administrator's own.
        let password: String?
    }

    /// `POST /admin/people/{user}/role`
    func changeRole(_ request: Request, context: AppRequestContext) async throws -> Response {
        let id = context.userID
        var typed: User.Role?
        return try await forms.submit(RoleForm.self, request, context) {
            try await page($0, of: id, typedRole: typed)
        } response: { form, visit in
            typed = form.role
            do {
                _ = try await people.change(
                    id, UserChange(role: form.role), seen: form.seen, password: form.password, by: visit.principal)
            } catch let error as AppError where error.reason == .changedMeanwhile {
                // The other person's choice is shown.
                typed = nil
                throw error
            } catch let error as AppError where error.code == .conflict {
                throw Self.problem(error, words: visit.words)
            }
            return .seeOther(.adminPerson(id).adding("done", AdminNotice.role.addressName))
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
            let address = try EmailAddress(typed: form.email, orSay: visit.words.text("forgotten.notAnAddress"))
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

    /// - Parameters:
    ///   - typedRole: the role chosen before.
    ///   - typedEmail: the address as typed before.
    private func page(
        _ visit: PageVisit, of id: User.ID, typedRole: User.Role? = nil, typedEmail: String? = nil
    ) async throws -> AdminUserPage {
        AdminUserPage(
            try await people.person(id, by: visit.principal.caller), typedRole: typedRole, typedEmail: typedEmail,
            visit: visit)
    }

    private func deletionPage(_ visit: PageVisit, of id: User.ID) async throws -> AdminUserDeletionPage {
        let user = try await people.person(id, by: visit.principal.caller).user
        return AdminUserDeletionPage(
            navigation: AdministrationNavigation(at: .people, words: visit.words), address: .adminPerson(id),
            name: user.shownName, email: user.email, isSelf: id == visit.principal.userID, problem: visit.problem)
    }
}
