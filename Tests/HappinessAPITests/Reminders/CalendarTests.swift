import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// A member's dates for a calendar program.
@Suite struct CalendarTests {
    private static let link = "/api/v1/me/calendar-link"

    private func address(of member: SignedInTeam.Member, in app: TestApp) async throws -> String {
        let response = try await app.send(.put, Self.link, token: member.token)
        let address = try #require(response.object["address"] as? String)
        return try #require(address.firstRange(of: "/calendar?token=").map { String(address[$0.lowerBound...]) })
    }

    @Test func `The link has sprints, days off and absences, and no results`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for member in team.members {
                #expect(try await app.vote(member, in: team, feedback: "Secret").status == .created)
            }
            let lead = team.lead
            _ = try await app.send(
                .put, "/api/v1/me/absences", token: lead.token, headers: [.contentType: "application/json"],
                body: .init(string: #"{"absences":[{"first":"2026-02-02","last":"2026-02-06"}]}"#))
            // A reminder that was postponed: only members who have not voted can do that.
            let today = CalendarDay(instant: app.clock.now, in: .gmt)
            let absences = try await app.stores.absences(of: lead.user.id)
            try await app.stores.replaceAbsences(of: lead.user.id, by: absences + [Absence(first: today, last: today)])
            try await app.stores.update(
                ReminderSettings(holidays: [try #require(CalendarDay("2026-01-26"))]), of: team.id)
            let page = try await app.get(try await address(of: lead, in: app))
            #expect(page.status == .ok && page.headers[.contentType] == "text/calendar; charset=utf-8")
            for text in [
                // The running sprint, 2026/2, and the next one.
                "UID:sprint-\(team.id)-2026-01-19", "DTSTART;VALUE=DATE:20260119", "DTEND;VALUE=DATE:20260202",
                "UID:sprint-\(team.id)-2026-02-02", "SUMMARY:Sprint · Blue", "SUMMARY:Day off · Blue",
                "DTSTART;VALUE=DATE:20260126", "SUMMARY:Away", "DTEND;VALUE=DATE:20260207",
            ] {
                #expect(page.text.contains(text), "\(text)")
            }
            #expect(page.text.ranges(of: "SUMMARY:Away").count == 1)
            for text in ["Secret", "7.0", "blue1"] { #expect(!page.text.contains(text), "\(text)") }
            let other = try await app.get(try await address(of: team.members[1], in: app)).text
            #expect(other.contains("Day off") && !other.contains("Away"))
        }
    }

    @Test func `A new link ends the old one, and so does a new password`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let first = try await address(of: team.lead, in: app)
            let second = try await address(of: team.lead, in: app)
            #expect(try await app.get(first).status == .notFound)
            #expect(try await app.get(second).status == .ok)
            #expect(try await app.get("/calendar").status == .notFound)

            let browser = try await app.browser(of: team.lead.user)
            let path = "/settings/notifications"
            #expect(try await browser.get(path).text.contains("There’s a link."))
            let token = try await browser.formToken(on: path)
            let ended = try await browser.post("/settings/calendar/end", form: "formToken=\(token)")
            #expect(ended.headers[.location] == "\(path)?done=calendar-ended")
            #expect(try await app.get(second).status == .notFound)

            let shown = try await browser.post("/settings/calendar", form: "formToken=\(token)")
            expectPage(shown, saying: "/calendar?token=")
            let third = try await address(of: team.lead, in: app)
            try await app.stores.update(id: team.lead.user.id, UserUpdate(newPassword: "x", endsSessions: .none))
            #expect(try await app.get(third).status == .notFound)
        }
    }

    @Test func `A disabled account has no calendar`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let link = try await address(of: team.members[1], in: app)
            try await app.stores.update(id: team.members[1].user.id, UserUpdate(isDisabled: true))
            #expect(try await app.get(link).status == .notFound)
        }
    }
}
