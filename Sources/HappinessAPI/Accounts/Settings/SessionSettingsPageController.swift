import Domain
import Foundation
import Hummingbird
import Ports
import Services

/// Lists the user's sessions and ends them.
struct SessionSettingsPageController: Sendable {
    let forms: SettingsForms
    let logins: LoginService
    let clock: WallClock

    /// `GET /settings/sessions`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context, page)
    }

    private struct EndForm: Decodable {
        let session: String
    }

    /// `POST /settings/sessions/end`
    func end(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(EndForm.self, request, context, then: .sessionEnded, orShow: page) { form, visit in
            // A malformed id is treated as an unknown session.
            try await logins.endSession(Session.ID(form.session) ?? .random(), by: visit.principal)
        }
    }

    /// `POST /settings/sessions/end-others`
    func endOthers(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context, then: .sessionsEnded, orShow: page) { _, visit in
            try await logins.endAll(visit.principal, keepingPresent: true)
        }
    }

    private func page(_ visit: PageVisit) async throws -> SessionSettingsPage {
        let today = CalendarDay(instant: clock.now, in: .gmt)
        let all = try await logins.sessions(of: visit.principal).map { session in
            SessionSettingsPage.Row(
                id: session.id.description, device: DeviceName(userAgent: session.device).text,
                lastUsed: session.lastUsed.description,
                lastUsedText: session.lastUsed == today
                    ? visit.words.text("sessions.today") : session.lastUsed.text(in: visit.frame.language))
        }
        let present = visit.principal.sessionID.description
        let others = all.filter { $0.id != present }
        return SessionSettingsPage(
            present: all.first { $0.id == present }, others: others, hasOthers: !others.isEmpty, done: visit.done,
            problem: visit.problem)
    }
}

struct SessionSettingsPage: Page {
    static let template = "settings-sessions"

    /// The session of the request.
    let present: Row?
    /// Most recently used first.
    let others: [Row]
    let hasOthers: Bool
    let done: String?
    let problem: FormProblem?

    struct Row: Sendable {
        let id: String
        let device: String
        /// A machine-readable day.
        let lastUsed: String
        /// The same day, formatted for people.
        let lastUsedText: String
    }
}
