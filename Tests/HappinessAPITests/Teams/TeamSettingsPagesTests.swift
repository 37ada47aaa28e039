import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The form for a team's rules.
@Suite struct TeamSettingsPagesTests {
    /// A form that changes everything.
    /// - Parameter opened: the hidden fields of the form.
    private static func form(_ opened: String, changing changes: [String: String] = [:]) -> String {
        let fields = [
            "name": "Navy Team", "calendar": "cadence", "weeks": "3", "anchor": "2026-01-07",
            "timeZone": "Europe/Vienna", "threshold": "4", "confirmedThreshold": "4", "policy": "close",
            "feedbackReaders": "leads", "ballots": "sealed", "actionAuthors": "leads", "graceDays": "2",
        ].merging(changes) { $1 }
        return opened + fields.map { "&\($0.key)=\($0.value.formEncoded)" }.joined()
    }

    @Test func `Everything is changed with one form`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            expectPage(try await browser.get(path), saying: "2 February 2026")
            let response = try await browser.post(path, form: Self.form(try await browser.openedForm(on: path)))
            #expect(response.headers[.location] == "\(path)?done=settings", "\(response.classic)")
            let changed = try #require(try await app.stores.team(team.id))
            #expect(changed.name == "Navy Team")
            let settings = changed.settings
            // Any day of the first week stands for its Monday.
            #expect(settings.calendar.description == "cadence:2026-01-05:3" && settings.timeZone == "Europe/Vienna")
            #expect(settings.threshold == 4 && settings.policy == .close && settings.graceDays == 2)
            #expect(settings.feedbackReaders == .leads && settings.ballots == .sealed)
            #expect(settings.actionAuthors == .leads)
            expectPage(try await browser.get("\(path)?done=settings"), saying: "Settings saved.")
        }
    }

    @Test func `A raised threshold is saved only after its effect was confirmed`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            let form = try await browser.openedForm(on: path)
            let changes = ["confirmedThreshold": ""]
            let asked = try await browser.post(path, form: Self.form(form, changing: changes))
            expectPage(asked, 422, saying: "need 4 votes instead of 3")
            #expect(asked.text.contains(#"name="confirmedThreshold" value="4""#))
            #expect(try await app.stores.team(team.id)?.settings.threshold == 3)
            // Not the threshold whose effect they have seen.
            let other = changes.merging(["confirmedThreshold": "5"]) { $1 }
            expectPage(try await browser.post(path, form: Self.form(form, changing: other)), 422, saying: "Save again")
            #expect(try await browser.post(path, form: Self.form(form)).status == .seeOther)
            #expect(try await app.stores.team(team.id)?.settings.threshold == 4)
        }
    }

    @Test func `A threshold above the number of members is refused at once`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            let form = Self.form(
                try await browser.openedForm(on: path), changing: ["threshold": "5", "confirmedThreshold": ""])
            let response = try await browser.post(path, form: form)
            expectPage(response, 422, saying: "can’t be higher than the number of team members")
            #expect(!response.text.contains("confirmedThreshold"))
            #expect(try await app.stores.team(team.id)?.settings.threshold == 3)
        }
    }

    @Test func `A number that the running sprint keeps is shown beside the new one`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4, settings: TeamSettings(threshold: 4))
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            #expect(try await !browser.get(path).text.contains("In the current sprint, a result"))
            let form = Self.form(try await browser.openedForm(on: path), changing: ["threshold": "2"])
            #expect(try await browser.post(path, form: form).status == .seeOther)
            expectPage(
                try await browser.get(path), saying: "In the current sprint, a result needs 4 votes.")
        }
    }

    /// Members, and what the page says beside the choices `live` and `close`.
    @Test(arguments: [
        (
            6, "With 6 people: after 6 votes, then with every 3 more, and at the end, if at least 3 have voted.",
            "With 6 people: at the end, if at least 3 have voted."
        ),
        (
            5,
            "With 5 people: at the end, if at least 3 have voted. Results during the sprint need a team of at least 6.",
            "With 5 people: at the end, if at least 3 have voted."
        ),
        (
            1, "With 1 person: nothing, because a result needs 3 votes.",
            "With 1 person: nothing, because a result needs 3 votes."
        ),
    ])
    func `Each choice says what a team of this size sees, and when`(members: Int, live: String, close: String)
        async throws
    {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: members)
            let page = try await app.browser(of: team.lead.user).get("\(team.managePath)/settings").text
            let seen = page.matches(of: /class="hint seen">([^<]*)</).map { String($0.output.1) }
            #expect(seen.count == 3 && seen.first == live && seen[1] == close)
            #expect(seen.last?.hasSuffix("every vote, as soon as it’s in.") == true)
            #expect(page.contains("In the current sprint: “At the end”") == (members < 6))
        }
    }

    @Test(arguments: [
        (["threshold": "1"], "2 to 50 votes"), (["threshold": "many"], "2 to 50 votes"),
        (["timeZone": "Mars/Base"], "no time zone"), (["anchor": ""], "a day of a week"),
        (["name": " "], "That name won’t work"), (["policy": "never"], "choose an option in each group"),
        (["graceDays": "8"], "choose an option in each group"),
    ])
    func `The page shows what is invalid with what was typed`(changes: [String: String], problem: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            let form = try await browser.openedForm(on: path)
            let response = try await browser.post(path, form: Self.form(form, changing: changes))
            expectPage(response, 422, saying: problem)
            #expect(response.text.contains("name=\"weeks\"") && response.text.contains("value=\"3\" selected"))
            #expect(try await app.stores.team(team.id)?.settings == TeamSettings())
        }
    }

    /// As after an update of the machine's time zones, or a move to another machine.
    @Test func `A time zone that the machine has lost is replaced by another`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            try await app.stores.update(id: team.id, name: nil, settings: TeamSettings(timeZone: "Europe/Atlantis"))
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            let form = try await browser.openedForm(on: path)
            expectPage(
                try await browser.post(path, form: Self.form(form, changing: ["timeZone": "Europe/Atlantis"])), 422,
                saying: "no time zone")
            #expect(try await browser.post(path, form: Self.form(form)).status == .seeOther)
            #expect(try await app.stores.team(team.id)?.settings.timeZone == "Europe/Vienna")
        }
    }

    @Test func `Another team's name is refused`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            try await app.stores.insert(Team(name: "Navy Team"))
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            let form = try await browser.openedForm(on: path)
            expectPage(
                try await browser.post(path, form: Self.form(form)), 422, saying: "Another team has this name")
        }
    }

    @Test func `The page says that small teams get no result`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let page = try await app.browser(of: team.lead.user).get("\(team.managePath)/settings?language=de")
            expectPage(page, saying: "das Team hat 2 Mitglieder", language: "de")
            #expect(page.text.contains("Vorsicht: Das schützt niemanden."))
        }
    }

    // MARK: - Two leads at once

    /// A team with a second lead: both have the page open.
    private struct TwoLeads {
        let app: TestApp
        let team: SignedInTeam
        let path: String
        let browsers: [Browser]
        /// The hidden fields of each form.
        let opened: [String]

        init(_ app: TestApp, _ rules: TeamRules? = nil) async throws {
            self.app = app
            team = try await app.makeTeam(members: 4)
            path = "\(team.managePath)/settings"
            if let rules {
                try await app.stores.update(id: team.id, name: rules.name, settings: rules.settings)
            }
            let second = try await app.makeUser("second")
            try await app.stores.add(Membership(teamID: team.id, userID: second.id, role: .lead))
            browsers = [try await app.browser(of: team.lead.user), try await app.browser(of: second)]
            opened = [
                try await browsers[0].openedForm(on: path), try await browsers[1].openedForm(on: path),
            ]
        }

        /// Sends the form of one lead as it was opened, with some fields changed.
        func send(_ number: Int, _ changes: [String: String], opened form: String? = nil) async throws -> TestResponse {
            let fields = [
                "name": "Blue", "calendar": "isoFortnight", "weeks": "2", "anchor": "", "timeZone": "UTC",
                "threshold": "3", "confirmedThreshold": changes["threshold", default: ""], "policy": "live",
                "feedbackReaders": "team", "ballots": "any", "graceDays": "0",
            ].merging(changes) { $1 }
            return try await browsers[number].post(
                path,
                form: (form ?? opened[number]) + fields.map { "&\($0.key)=\($0.value.formEncoded)" }.joined())
        }

        func rules() async throws -> TeamRules? {
            try await app.stores.team(team.id)?.rules
        }
    }

    @Test func `What a lead left alone keeps another's change`() async throws {
        try await TestApp.with { app in
            let leads = try await TwoLeads(app)
            let first = try await leads.send(0, ["name": "Navy", "threshold": "5", "feedbackReaders": "leads"])
            #expect(first.status == .seeOther, "\(first.classic)")
            let second = try await leads.send(1, ["graceDays": "2"])
            #expect(second.status == .seeOther, "\(second.classic)")
            let settings = TeamSettings(threshold: 5, graceDays: 2, feedbackReaders: .leads)
            #expect(try await leads.rules() == TeamRules(name: "Navy", settings: settings))
        }
    }

    @Test func `What both changed is shown before it is replaced`() async throws {
        try await TestApp.with { app in
            let leads = try await TwoLeads(app)
            _ = try await leads.send(0, ["threshold": "5", "calendar": "cadence", "anchor": "2026-01-05"])
            let changes = ["threshold": "4", "name": "Sky"]
            let page = try await leads.send(1, changes)
            expectPage(page, 409, saying: "Someone else changed this in the meantime")
            #expect(try await leads.rules()?.settings.threshold == 5)
            #expect(try await leads.rules()?.name == "Blue")
            // Typed values are kept, unchanged fields have their current value, and the page distinguishes both.
            #expect(page.text.contains("value=\"4\"") && page.text.contains("value=\"Sky\""))
            #expect(page.text.contains("name=\"calendar\" value=\"cadence\" checked"))
            #expect(page.text.contains("<a href=\"#threshold\">Minimum votes for a result</a>: 5 <span"))
            #expect(page.text.contains("<a href=\"#calendar\">Sprints</a>: 2 weeks each, from 5 January 2026</li>"))
            #expect(!page.text.contains("href=\"#name\""))

            let again = changes.merging(["calendar": "cadence", "anchor": "2026-01-05"]) { $1 }
            let form = leads.browsers[1].openedForm(page)
            let saved = try await leads.send(1, again, opened: form)
            #expect(saved.status == .seeOther, "\(saved.classic)")
            let calendar = try #require(SprintCalendar("cadence:2026-01-05:2"))
            let rules = TeamRules(name: "Sky", settings: TeamSettings(calendar: calendar, threshold: 4))
            #expect(try await leads.rules() == rules)
        }
    }

    @Test func `A name that another lead gave stays or is shown`() async throws {
        try await TestApp.with { app in
            let leads = try await TwoLeads(app)
            _ = try await leads.send(0, ["name": "Navy"])
            let page = try await leads.send(1, ["name": "Sky"])
            expectPage(page, 409, saying: "<a href=\"#name\">Team name</a>: Navy")
            #expect(try await leads.rules()?.name == "Navy")
        }
    }

    /// Foundation turns `UTC` into `GMT`, and the name would be rejected now.
    @Test(arguments: [("Blue", "UTC", "Europe/Vienna"), ("http://blue", "GMT", "UTC")])
    func `A stored value is not taken for someone's change`(name: String, zone: String, chosen: String) async throws {
        try await TestApp.with { app in
            let leads = try await TwoLeads(app, TeamRules(name: name, settings: TeamSettings(timeZone: zone)))
            let response = try await leads.send(0, ["name": name, "timeZone": chosen])
            #expect(response.status == .seeOther, "\(response.classic)")
            #expect(try await leads.rules() == TeamRules(name: name, settings: TeamSettings(timeZone: chosen)))
        }
    }

    @Test func `An invalid value does not hide what others changed`() async throws {
        try await TestApp.with { app in
            let leads = try await TwoLeads(app)
            _ = try await leads.send(0, ["graceDays": "2"])
            let page = try await leads.send(1, ["timeZone": "Mars/Base"])
            expectPage(page, 422, saying: "<a href=\"#grace\">Late votes</a>: 2 days")
            #expect(page.text.contains("<option value=\"2\" selected>2 days"))
        }
    }

    @Test func `A form without its shown values is refused`() async throws {
        try await TestApp.with { app in
            let leads = try await TwoLeads(app)
            let token = try await leads.browsers[0].formToken(on: leads.path)
            for seen in ["", "&seen=", "&seen=%7B%7D", "&seen=x"] {
                let response = try await leads.send(0, ["name": "Sky"], opened: "formToken=\(token)\(seen)")
                expectPage(response, 400)
            }
            #expect(try await leads.rules()?.name == "Blue")
        }
    }
}
