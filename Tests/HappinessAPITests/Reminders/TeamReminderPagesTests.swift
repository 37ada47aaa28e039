import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The forms for reminders, quiet days, experiments and messages.
@Suite struct TeamReminderPagesTests {
    @Test func `Reminders are changed, and quiet days stay`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/reminders"
            let token = try await browser.formToken(on: path)
            let days = try await browser.post(
                "\(path)/days", form: "formToken=\(token)&first=2026-02-02&last=2026-02-03")
            #expect(days.headers[.location] == "\(path)?done=quiet-days", "\(days.classic)")
            let form = try await browser.openedForm(on: path)
            let fields =
                "isOn=on&remindsAgain=on&timing=end&hour=11&weekend=friday+saturday&title-first-de=Na%3F"
                + "&body-second-en=Soon"
            let response = try await browser.post(path, form: "\(form)&\(fields)")
            #expect(response.headers[.location] == "\(path)?done=reminders", "\(response.classic)")
            let settings = try await app.stores.reminderSettings(of: team.id)
            #expect(settings.isOn && settings.remindsAgain && settings.timing == .end && settings.hour == 11)
            #expect(settings.weekend == [.friday, .saturday])
            #expect(settings.texts[.first]?[.german] == ReminderText(title: "Na?"))
            #expect(settings.texts[.second]?[.english] == ReminderText(body: "Soon"))
            #expect(settings.holidays.map(\.description).sorted() == ["2026-02-02", "2026-02-03"])
            let page = try await browser.get(path)
            expectPage(page, saying: "<span>2 February 2026 – 3 February 2026</span>")
            #expect(page.text.contains("value=\"friday saturday\" selected>Friday, Saturday</option>"))
            _ = try await browser.post(
                "\(path)/days/remove", form: "formToken=\(token)&first=2026-02-01&last=2026-02-02")
            #expect(try await app.stores.reminderSettings(of: team.id).holidays.map(\.description) == ["2026-02-03"])
            _ = try await browser.post(path, form: "\(try await browser.openedForm(on: path))&hour=9")
            #expect(try await app.stores.reminderSettings(of: team.id).isOn == false)
        }
    }

    @Test func `A lead keeps another's changes, and is shown what both changed`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/reminders"
            let opened = try await browser.openedForm(on: path)
            let theirs = ReminderSettings(
                hour: 8, holidays: [try #require(CalendarDay("2026-02-02"))],
                texts: [.first: [.german: ReminderText(title: "Na?")]])
            try await app.stores.update(theirs, of: team.id)

            let other = "\(opened)&isOn=on&remindsAgain=on&hour=9&title-second-en=Soon"
            let saved = try await browser.post(path, form: other)
            #expect(saved.headers[.location] == "\(path)?done=reminders", "\(saved.classic)")
            var merged = theirs
            merged.remindsAgain = true
            merged.texts[.second] = [.english: ReminderText(title: "Soon")]
            #expect(try await app.stores.reminderSettings(of: team.id) == merged)

            let same = "\(opened)&isOn=on&hour=11&title-first-de=Hallo"
            let page = try await browser.post(path, form: same)
            expectPage(page, 409, saying: "<a href=\"#hour\">Time</a>: from 8:00 <span")
            #expect(page.text.contains("<a href=\"#title-first-de\">First reminder, Deutsch</a>: Na? <span"))
            #expect(page.text.contains("<a href=\"#remindsAgain\">Remind a second time</a>: on</li>"))
            #expect(page.text.contains("value=\"Hallo\"") && page.text.contains("value=\"11\" selected"))
            #expect(try await app.stores.reminderSettings(of: team.id) == merged)

            let again = "\(browser.openedForm(page))&isOn=on&remindsAgain=on&hour=11&title-first-de=Hallo"
            let preview = try await browser.post("\(path)/preview", form: again)
            expectPage(preview, saying: "It isn’t saved yet.")
            #expect(!preview.text.contains("href=\"#hour\""))
            _ = try await browser.post(path, form: "\(again)&title-second-en=Soon")
            merged.hour = 11
            merged.texts[.first] = [.german: ReminderText(title: "Hallo")]
            #expect(try await app.stores.reminderSettings(of: team.id) == merged)
        }
    }

    @Test func `The values a form showed are not treated as input`() throws {
        let settings = ReminderSettings(texts: [.first: [.german: ReminderText(title: "Na los!")]])
        let text = try ShownFields(TeamReminderForm(settings)).text()
        #expect(!SavedForm.Field(name: "seen", value: text).isWritten, "a kept form does not show it")
    }

    @Test func `A preview changes nothing`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/reminders"
            let form = try await browser.openedForm(on: path)
            let response = try await browser.post(
                "\(path)/preview", form: "\(form)&isOn=on&hour=9&title-first-en=Hello%20%7Bteam%7D%21")
            expectPage(response, saying: "Hello Blue!")
            #expect(response.text.contains("It isn’t saved yet.") && response.text.contains("value=\"Hello {team}!\""))
            #expect(try await app.stores.reminderSettings(of: team.id) == ReminderSettings())
        }
    }

    @Test func `A preview names the same sprint beside the date and in the text`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/reminders"
            let form = try await browser.openedForm(on: path)
            // The running sprint's first reminder was sent the day before.
            let response = try await browser.post(
                "\(path)/preview", form: "\(form)&isOn=on&hour=9&title-first-en=Vote%20in%20%7Bsprint%7D")
            let time = try #require(response.text.firstMatch(of: /First reminder: [^<]*/))
            #expect(time.output.hasPrefix("First reminder: 2 February 2026"))
            #expect(time.output.hasSuffix("(sprint of 2–15\u{a0}Feb)"))
            expectPage(response, saying: "<strong>Vote in 2026/3</strong>")
        }
    }

    @Test(arguments: [
        ("&hour=9&title-first-en=%7Bname%7D", "This placeholder doesn’t exist"),
        ("&hour=9&title-first-en=%7B", "This wording won’t work"), ("&hour=99", "This wording won’t work"),
    ])
    func `Invalid texts are refused and kept in the form`(fields: String, problem: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/reminders"
            let opened = try await browser.openedForm(on: path)
            for form in ["", "/preview"] {
                expectPage(
                    try await browser.post("\(path)\(form)", form: "\(opened)\(fields)"), 422, saying: problem)
            }
            #expect(try await app.stores.reminderSettings(of: team.id) == ReminderSettings())
        }
    }

    @Test(arguments: [
        ("", "", "Please choose a day."),
        ("2026-02-31", "", "“2026-02-31” isn’t a date. Please enter it like this: 2026-12-24."),
        ("2026-02-03", "soon", "“soon” isn’t a date."),
        ("2026-02-03", "2026-02-02", "The last day, 2 February 2026, is before the first one, 3 February 2026."),
        ("2026-02-03", "2027-02-02", "3 February 2026 – 2 February 2027 are 365 days. You can add at most 62"),
        ("1999-02-03", "", "Please choose days in the years 2000 to 2100, not 3 February 1999."),
    ])
    func `Invalid quiet days are named and stay in the form`(
        first: String, last: String, problem: String
    ) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let stored = ReminderSettings(holidays: [try #require(CalendarDay("2026-02-09"))])
            try await app.stores.update(stored, of: team.id)
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/reminders"
            let token = try await browser.formToken(on: path)
            let response = try await browser.post(
                "\(path)/days", form: "formToken=\(token)&first=\(first)&last=\(last)")
            expectPage(response, 422, saying: problem)
            for (name, value) in [("first", first), ("last", last)] {
                #expect(response.text.contains("name=\"\(name)\" type=\"date\" value=\"\(value)\""), "\(name)")
            }
            #expect(response.text.contains("9 February 2026"))
            #expect(try await app.stores.reminderSettings(of: team.id) == stored)
        }
    }

    @Test func `A test goes to the user who requests it`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/reminders"
            let token = try await browser.formToken(on: path)
            let response = try await browser.post("\(path)/test", form: "formToken=\(token)")
            #expect(response.headers[.location] == "\(path)?done=test", "\(response.classic)")
            let sent = try await app.stores.read { try $0.deliveries(of: team.id, after: nil, limit: 10) }
            #expect(sent.map(\.occasion.kind) == [.test] && sent[0].requestedBy == team.lead.user.id)
        }
    }

    @Test func `An experiment is set up, shown and ended`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/experiments"
            let token = try await browser.formToken(on: path)
            let fields = "formToken=\(token)&reminder=second&first=2026-02-02&last=2026-03-31&b-title-first-en=Now%3F"
            let added = try await browser.post(path, form: fields)
            #expect(added.headers[.location] == "\(path)?done=experiment", "\(added.classic)")
            let experiment = try #require(
                try await app.stores.read { try $0.experiments(of: team.id, limit: 1) }.first)
            #expect(experiment.kind == .second)
            #expect(experiment.wordings == [.b: [.english: ReminderText(title: "Now?")]])
            expectPage(try await browser.get(path), saying: "not started")
            expectPage(try await browser.post(path, form: fields), 409, saying: "Another A/B test")
            let same = "reminder=first&first=2026-05-01&last=2026-05-31"
            expectPage(try await browser.post(path, form: "formToken=\(token)&\(same)"), 422, saying: "the same")
            let one = "\(path)/\(experiment.id)"
            expectPage(try await browser.get(one), saying: "Not enough data yet")
            let ended = try await browser.post("\(one)/end", form: "formToken=\(token)")
            #expect(ended.headers[.location] == "\(path)?done=experiment-ended", "\(ended.classic)")
            expectPage(try await browser.get(one), 404)
        }
    }

    @Test func `A user who only manages the team sees no report`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let experiment = ReminderExperiment(
                teamID: team.id, kind: .first, first: try #require(CalendarDay("2026-02-02")),
                last: try #require(CalendarDay("2026-03-02")), wordings: [.a: [.english: ReminderText(title: "Go")]])
            try await app.stores.insert(experiment)
            let admin = try await app.browser(of: try await app.makeUser("root", role: .admin))
            let page = try await admin.get("\(team.managePath)/experiments/\(experiment.id)")
            expectPage(page, saying: "Only its members see")
            #expect(!page.text.contains("Not enough data yet"))
        }
    }

    @Test func `A message is sent, and listed with its counts`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/messages"
            let token = try await browser.formToken(on: path)
            let form = "formToken=\(token)&title=Cake&body=In%20the%0D%0Akitchen"
            expectPage(try await browser.post(path, form: form), saying: "Send this message to all 4 members?")
            #expect(try await app.stores.read { try $0.deliveries(of: team.id, after: nil, limit: 1) }.isEmpty)
            let sent = try await browser.post(path, form: "\(form)&confirmed=yes")
            #expect(sent.headers[.location] == "\(path)?done=message", "\(sent.classic)")
            expectPage(try await browser.get(path), saying: "Cake")
            let untitled = try await browser.post(path, form: "formToken=\(token)&title=%20&body=Kept")
            expectPage(untitled, 422, saying: ">Kept</textarea>")
            let other = "formToken=\(token)&title=a&body=b&confirmed=yes"
            for _ in 0..<4 { _ = try await browser.post(path, form: other) }
            let late = try await browser.post(path, form: other)
            expectPage(late, 429, saying: "Too many messages")
        }
    }

    @Test func `Counts of a reminder are shown after the sprint, and not to outsiders`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            for member in team.members.prefix(3) { _ = try await app.vote(member, in: team, 8) }
            let sprint = try #require(try await app.stores.latestSprint(of: team.id)?.sprint)
            let day = try #require(CalendarDay("2026-01-19"))
            _ = try await app.stores.insert(
                Delivery(
                    occasion: .init(sprint: sprint.key, kind: .reminder, day: day), state: .done, begun: sprint.start))
            let lead = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/messages"
            expectPage(try await lead.get(path), saying: "No numbers: the sprint isn’t over")
            app.clock.advance(by: 14 * TestTeam.day)
            _ = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            expectPage(try await lead.get(path), saying: "No recipients.")
            let admin = try await app.browser(of: try await app.makeUser("root", role: .admin))
            let page = try await admin.get(path)
            expectPage(page, saying: "First reminder")
            #expect(!page.text.contains("No recipients."))
        }
    }
}
