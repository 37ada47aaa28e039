import Domain
import Foundation
import Hummingbird
import Ports
import Services

/// A team's reminders: times, texts and quiet days.
struct TeamReminderPageController: Sendable {
    let forms: ManageForms
    let reminders: ReminderService
    let deliveries: DeliveryService
    let clock: WallClock

    private typealias Form = EditForm<TeamReminderForm>

    /// `GET /teams/{team}/manage/reminders`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0) }
    }

    /// `POST /teams/{team}/manage/reminders`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        var sent: Form?
        return try await forms.submit(Form.self, request, context, then: .reminders) {
            try await page($0, sent: sent)
        } _: { form, visit in
            sent = form
            let team = try visit.visitedTeam().team.id
            try await keepingForm(visit) {
                _ = try await reminders.change(team, form.edit(), by: visit.principal.caller)
            }
        }
    }

    /// `POST /teams/{team}/manage/reminders/preview`: shows the effect of the form; stores nothing.
    func preview(_ request: Request, context: AppRequestContext) async throws -> Response {
        var sent: Form?
        return try await forms.submit(Form.self, request, context) {
            try await page($0, sent: sent)
        } response: { form, visit in
            sent = form
            return try await keepingForm(visit) {
                try forms.pages.response(try await page(visit, sent: form, isPreview: true), in: visit.frame)
            }
        }
    }

    /// `POST /teams/{team}/manage/reminders/test`: sends the stored reminder to the viewer only.
    func test(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context, then: .test) {
            try await page($0)
        } _: { _, visit in
            _ = try await deliveries.testReminder(of: try visit.visitedTeam().team.id, by: visit.principal)
        }
    }

    /// Maximum number of days added at once: company holidays are rarely longer, and a typing error is noticed.
    private static let longestStretch = 62

    /// `POST /teams/{team}/manage/reminders/days`: adds one quiet day, or a range.
    func addDays(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed = TypedDays()
        return try await forms.submit(TypedDays.self, request, context, then: .quietDays) {
            try await page($0, typedDays: typed)
        } _: { form, visit in
            typed = form
            let words = visit.words
            guard !form.first.isEmpty else { throw FormProblem(words.text("quietDays.missing"), at: "first") }
            let days = try form.range(visit)
            let named = days.text(in: visit.frame.language)
            let (first, last) = (days.lowerBound, days.upperBound)
            guard ReminderSettings.years.contains(first.year), ReminderSettings.years.contains(last.year) else {
                throw FormProblem(words.text("quietDays.years", ["days": named]))
            }
            let length = first.days(until: last) + 1
            guard length <= Self.longestStretch else {
                let counts = ["count": String(length), "limit": String(Self.longestStretch)]
                throw FormProblem(words.text("quietDays.tooLong", counts.merging(["days": named]) { $1 }))
            }
            try await changeDays(visit) { $0.formUnion((0..<length).map { first.adding(days: $0) }) }
        }
    }

    /// `POST /teams/{team}/manage/reminders/days/remove`; succeeds if they are already removed.
    func removeDays(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(TypedDays.self, request, context, then: .quietDayRemoved) {
            try await page($0)
        } _: { form, visit in
            let removed = try form.range(visit)
            try await changeDays(visit) { days in days = days.filter { !removed.contains($0) } }
        }
    }

    /// Days after which a quiet day is deleted: longer than any sprint with its grace period.
    private static let memory = 60

    private func changeDays(_ visit: PageVisit, _ change: (inout Set<CalendarDay>) -> Void) async throws {
        let team = try visit.visitedTeam().team
        let oldest = CalendarDay(instant: clock.now, in: team.settings.zone).adding(days: -Self.memory)
        _ = try await reminders.changeHolidays(of: team.id, by: visit.principal.caller) { days in
            days = days.filter { $0 >= oldest }
            change(&days)
            guard days.count <= ReminderSettings.maximumHolidays else {
                throw FormProblem(visit.words.text("quietDays.full"))
            }
        }
    }

    /// Turns errors about a text into messages in the page's language.
    private func keepingForm<Result>(_ visit: PageVisit, _ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as AppError where error.code == .unprocessable {
            throw FormProblem(visit.words.text(forWordsOfReminder: error))
        }
    }

    /// - Parameters:
    ///   - sent: a form that was rejected. It is now based on the current settings, which the page shows, so sending it
    ///     again overwrites the others' changes knowingly.
    ///   - isPreview: whether to preview `sent`.
    ///   - typedDays: quiet days that were rejected.
    private func page(
        _ visit: PageVisit, sent: Form? = nil, isPreview: Bool = false, typedDays: TypedDays = TypedDays()
    ) async throws -> TeamReminderPage {
        let team = try visit.visitedTeam().team
        let stored = try await reminders.settings(of: team.id, by: visit.principal.caller)
        let present = TeamReminderForm(stored)
        let form = sent?.shown(over: present) ?? present
        let texts = forms.pages.texts.texts
        let preview = try await reminders.preview(
            team.id, isPreview ? try form.settings(keeping: stored.holidays) : stored, standard: texts,
            by: visit.principal.caller)
        return TeamReminderPage(
            ManageHead(visit, team, address: .reminders(of: team.id)), team: team, form: form,
            seen: try ShownFields(present).text(), changes: sent?.changes(to: present, visit.words) ?? [],
            stored: stored, preview: preview, isPreview: isPreview, typedDays: typedDays, now: clock.now,
            words: visit.words, texts: texts, language: visit.frame.language)
    }
}

extension LocalizedTexts {
    /// Why a reminder's text was rejected.
    func text(forWordsOfReminder error: AppError) -> String {
        error.reason == .unknownPlaceholder ? text("errors.unknown-placeholder") : text("teamReminders.textProblem")
    }
}
