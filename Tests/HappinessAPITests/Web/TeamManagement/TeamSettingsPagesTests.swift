import Foundation
import HTTPTypes
import HummingbirdTesting
import Shared
import TestSupport
import Testing

@testable import HappinessAPI

/// The rules of a team, by their form.
@Suite struct TeamSettingsPagesTests {
    /// A form that changes everything.
    private static func form(token: String, changing changes: [String: String] = [:]) -> String {
        let fields = [
            "formToken": token, "name": "Navy Team", "calendar": "cadence", "weeks": "3", "anchor": "2026-01-07",
            "timeZone": "Europe/Vienna", "threshold": "4", "policy": "close", "feedbackReaders": "leads",
            "graceDays": "2",
        ].merging(changes) { $1 }
        return fields.map { "\($0.key)=\($0.value.formEncoded)" }.joined(separator: "&")
    }

    @Test func everythingIsChangedByOneForm() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            expectPage(try await browser.get(path), saying: "2 February 2026")
            let answer = try await browser.post(path, form: Self.form(token: try await browser.formToken(on: path)))
            #expect(answer.headers[.location] == "\(path)?done=settings", "\(answer.classic)")
            let changed = try #require(try await app.stores.teams.find(id: team.id))
            #expect(changed.name == "Navy Team")
            let settings = changed.settings
            // A day of the first week stands for its Monday.
            #expect(settings.calendar.description == "cadence:2026-01-05:3" && settings.timeZone == "Europe/Vienna")
            #expect(settings.threshold == 4 && settings.policy == .close && settings.graceDays == 2)
            #expect(settings.feedbackReaders == .leads)
            expectPage(try await browser.get("\(path)?done=settings"), saying: "The rules are saved.")
        }
    }

    @Test(arguments: [
        (["threshold": "1"], "2 to 50 votes"), (["threshold": "many"], "2 to 50 votes"),
        (["timeZone": "Mars/Base"], "no time zone"), (["anchor": ""], "a day of a week"),
        (["name": " "], "The name will not do"), (["policy": "never"], "one of each"),
        (["graceDays": "8"], "one of each"),
    ])
    func whatWouldNotDoIsSaidOnThePageWithWhatWasTyped(changes: [String: String], problem: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            let token = try await browser.formToken(on: path)
            let answer = try await browser.post(path, form: Self.form(token: token, changing: changes))
            expectPage(answer, 422, saying: problem)
            #expect(answer.text.contains("name=\"weeks\"") && answer.text.contains("value=\"3\" selected"))
            #expect(try await app.stores.teams.find(id: team.id)?.settings == TeamSettings())
        }
    }

    @Test func aNameOfAnotherTeamIsRefused() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            try await app.stores.teams.insert(Team(name: "Navy Team"))
            let browser = try await app.browser(of: team.lead.user)
            let path = "\(team.managePath)/settings"
            let token = try await browser.formToken(on: path)
            expectPage(
                try await browser.post(path, form: Self.form(token: token)), 422, saying: "Another team has this name")
        }
    }

    @Test func thatSmallTeamsGetNoResultIsSaid() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let page = try await app.browser(of: team.lead.user).get("\(team.managePath)/settings?language=de")
            expectPage(page, saying: "das Team hat 2 Personen", language: "de")
            #expect(page.text.contains("Vorsicht: Das schützt niemanden."))
        }
    }
}
