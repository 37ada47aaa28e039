import Domain
import Hummingbird
import Services

/// The user's notification preferences and absences.
struct NotificationSettingsPageController: Sendable {
    let forms: SettingsForms
    let accounts: AccountService
    let absences: AbsenceService
    let calendars: CalendarController
    /// Whether this installation sends Web Push.
    let sendsToBrowsers: Bool

    /// `GET /settings/notifications`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context, page)
    }

    private struct Form: Decodable {
        /// Browsers do not send a checkbox that is not ticked.
        let push: String?
        let mail: String?
        let results: String?
        /// Empty for the team's own hour.
        let hour: String?
        /// A box for each day without reminders.
        let monday: String?
        let tuesday: String?
        let wednesday: String?
        let thursday: String?
        let friday: String?
        let saturday: String?
        let sunday: String?

        var daysOff: Set<Weekday> {
            let boxes = [monday, tuesday, wednesday, thursday, friday, saturday, sunday]
            return Set(zip(Weekday.allCases, boxes).filter { $0.1 != nil }.map { $0.0 })
        }
    }

    /// `POST /settings/notifications`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(Form.self, request, context, then: .notifications, orShow: page) { form, visit in
            let wishes = NotificationChange(
                push: form.push != nil, mail: form.mail != nil, results: form.results != nil,
                hour: .some(form.hour.flatMap(Int.init)), daysOff: form.daysOff)
            _ = try await accounts.change(AccountChange(notifications: wishes), by: visit.principal)
        }
    }

    /// `POST /settings/absences`: adds one.
    func addAbsence(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed = TypedDays()
        return try await forms.submit(TypedDays.self, request, context, then: .absence) {
            try await page($0, typed: typed)
        } _: { form, visit in
            typed = form
            let words = visit.words
            let days = try form.completeRange(visit)
            let named = ["days": days.text(in: visit.frame.language)]
            let list = try await absences.list(by: visit.principal)
            let absence = Absence(first: days.lowerBound, last: days.upperBound)
            do {
                let kept = try await absences.replace(list + [absence], by: visit.principal)
                guard kept.contains(absence) else { throw FormProblem(words.text("absences.past", named)) }
            } catch let error as AppError where error.code == .unprocessable {
                throw FormProblem(words.text("absences.limits", named))
            }
        }
    }

    /// `POST /settings/absences/remove`; succeeds if it is already removed.
    func removeAbsence(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(TypedDays.self, request, context, then: .absenceRemoved, orShow: page) { form, visit in
            let left = try await absences.list(by: visit.principal).filter {
                $0.first.description != form.first || $0.last.description != form.last
            }
            _ = try await absences.replace(left, by: visit.principal)
        }
    }

    /// `POST /settings/calendar`: only this response contains the link; it is not stored.
    func shareCalendar(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context, orShow: page) { _, visit in
            let token = try await calendars.calendars.share(by: visit.principal)
            let page = try await page(visit, calendarLink: calendars.address(of: token))
            return try forms.pages.response(page, in: visit.frame)
        }
    }

    /// `POST /settings/calendar/end`
    func unshareCalendar(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context, then: .calendarEnded, orShow: page) { _, visit in
            try await calendars.calendars.unshare(by: visit.principal)
        }
    }

    private func page(_ visit: PageVisit) async throws -> NotificationSettingsPage {
        try await page(visit, typed: TypedDays())
    }

    /// - Parameters:
    ///   - typed: days that were rejected.
    ///   - calendarLink: a new link.
    private func page(
        _ visit: PageVisit, typed: TypedDays = TypedDays(), calendarLink: String? = nil
    ) async throws -> NotificationSettingsPage {
        let wishes = try await accounts.account(of: visit.principal).notifications
        let rows = try await absences.list(by: visit.principal).map { absence in
            NotificationSettingsPage.Row(
                first: absence.first.description, last: absence.last.description,
                text: (absence.first...absence.last).text(in: visit.frame.language))
        }
        return NotificationSettingsPage(
            push: wishes.push, mail: wishes.mail, results: wishes.results,
            hours: [FormOption("", visit.words.text("notifications.teamHour"), isChosen: wishes.hour == nil)]
                + ReminderHour.all.map { hour in
                    FormOption(
                        String(hour), visit.words.text("teamReminders.oClock", ["hour": String(hour)]),
                        isChosen: wishes.hour == hour)
                },
            daysOff: Weekday.allCases.map { day in
                FormOption(day.rawValue, visit.words.text(day), isChosen: wishes.daysOff.contains(day))
            },
            sendsToBrowsers: sendsToBrowsers,
            absences: rows, first: typed.first, last: typed.last ?? "",
            isAtLimit: rows.count >= Absence.maximumCount,
            hasCalendarLink: try await calendars.calendars.isShared(by: visit.principal), calendarLink: calendarLink,
            done: visit.done, problem: visit.problem)
    }
}

/// The forms for notifications and absences.
struct NotificationSettingsPage: Page {
    static let template = "settings-notifications"

    let push: Bool
    let mail: Bool
    let results: Bool
    /// The team's own hour first.
    let hours: [FormOption]
    /// From Monday on; a box each, whose name is the option's value.
    let daysOff: [FormOption]
    let sendsToBrowsers: Bool
    /// In ascending order.
    let absences: [Row]
    /// As typed before.
    let first: String
    /// As typed before.
    let last: String
    /// Whether the maximum number of absences is reached.
    let isAtLimit: Bool
    let hasCalendarLink: Bool
    /// Shown once, when it is created.
    let calendarLink: String?
    let done: String?
    let problem: FormProblem?

    struct Row: Sendable {
        /// The value that the form sends back.
        let first: String
        let last: String
        /// Formatted for people.
        let text: String
    }
}
