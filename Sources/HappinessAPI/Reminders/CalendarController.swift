import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Ports
import Services

/// A member's dates as a calendar that programs subscribe to, and the link to it.
struct CalendarController: Sendable {
    let calendars: CalendarService
    let pages: PageRenderer
    let clock: WallClock
    /// As `ServerSettings.publicURL`.
    let publicURL: String

    /// `PUT /api/v1/me/calendar-link`: only this response contains the address.
    func share(_ request: Request, context: AppRequestContext) async throws -> Response {
        let token = try await calendars.share(by: try context.requirePrincipal())
        return try JSONBody.response(["address": address(of: token)])
    }

    /// `DELETE /api/v1/me/calendar-link`
    func unshare(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await calendars.unshare(by: try context.requirePrincipal())
        return Response(status: .noContent)
    }

    /// The link of a token.
    func address(of token: String) -> String {
        OneTimeToken.Purpose.calendar.link(publicURL: publicURL, token: token)
    }

    /// `GET /calendar?token=`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let dates = try await calendars.dates(request.query("token") ?? "")
        let language = PageLanguage(request, userLocale: dates.user.locale)
        let text = calendar(of: dates, pages.words(PageFrame(language: language))).text
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/calendar; charset=utf-8", .cacheControl: "private, no-cache",
                .contentDisposition: "inline; filename=\"happiness.ics\"",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private func calendar(of dates: CalendarDates, _ words: LocalizedTexts) -> ICalendar {
        var events: [ICalendar.Event] = []
        for entry in dates.teams {
            let (team, zone) = (entry.team, entry.team.settings.zone)
            events += entry.sprints.map { sprint in
                // Not by its label: a change of the calendar may give it another one.
                let first = CalendarDay(instant: sprint.start, in: zone)
                return ICalendar.Event(
                    id: "sprint-\(team.id)-\(first)", title: words.text("calendarFeed.sprint", ["team": team.name]),
                    first: first, last: CalendarDay(instant: sprint.end, in: zone).adding(days: -1),
                    link: publicURL + SitePath.vote(of: team.id).path)
            }
            events += entry.daysOff.map { day in
                ICalendar.Event(
                    id: "day-off-\(team.id)-\(day)", title: words.text("calendarFeed.dayOff", ["team": team.name]),
                    first: day, last: day)
            }
        }
        events += dates.absences.map { absence in
            ICalendar.Event(
                id: "absence-\(dates.user.id)-\(absence.first)-\(absence.last)",
                title: words.text("calendarFeed.absence"), first: absence.first, last: absence.last)
        }
        return ICalendar(name: words.text("calendarFeed.name"), events: events, now: clock.now)
    }
}
